import type { AuditEntry } from '../../../../domain/accounts/account.js';

/** What each entry of the audit log says was done. */
export const EVENT_TEXT: Readonly<Record<AuditEntry['event'], string>> = {
  opened: 'The account was opened',
  issued: 'A key was issued',
  linked: 'Linked to a customer of the processor',
  subscription_changed: 'The subscription changed',
  attempt_failed: 'An attempt to collect a payment failed',
  trial_ended: 'The trial ended',
  abuse_detection_changed: 'Abuse detection was switched',
  payment_event_replayed: 'A payment event was replayed',
  identity_joined: 'First sign-in with a provider',
  identities_removed: 'Identities were forgotten, and all sessions ended',
  payment_failed: 'Suspended: payments failed',
  invoice_paid: 'Everything is paid: no longer suspended for it',
  abuse_detected: 'Suspended: abuse was detected',
  abuse_cleared: 'The abuse trip was lifted',
  held: 'Held',
  released: 'Released',
  rotated: 'A key was retired for a newer one',
  cancelled: 'The subscription ended, and keys with it',
  revoked: 'A key was revoked',
};
