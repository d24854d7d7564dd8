import type { AuditEntry } from '../../../../domain/accounts/account.js';
import { ownValue } from '../../../../domain/own-value.js';

/** The event of an audit entry as text. */
export const EVENT_TEXT: Readonly<Record<AuditEntry['event'], string>> = {
  opened: 'Account opened',
  issued: 'Key created',
  key_edited: 'Key settings changed',
  linked: 'Linked to a payment processor customer',
  subscription_changed: 'Subscription changed',
  attempt_failed: 'Payment attempt failed',
  trial_ended: 'Trial ended',
  abuse_detection_changed: 'Abuse detection turned on or off',
  payment_event_replayed: 'Payment event replayed',
  payment_notice_repeated: 'Payment emails sent again',
  identity_joined: 'Identity provider connected',
  identities_removed: 'Identity providers disconnected, all sessions ended',
  destination_created: 'Destination created',
  destination_changed: 'Destination changed',
  destination_disabled: 'Destination disabled',
  destination_removed: 'Destination removed',
  deleted: 'Account deleted: keys revoked, personal data removed',
  payment_failed: 'Suspended: payment failure',
  invoice_paid: 'Payment suspension ended: all invoices paid',
  abuse_detected: 'Suspended: abuse detected',
  abuse_cleared: 'Abuse suspension cleared',
  held: 'Hold placed',
  released: 'Hold released',
  rotated: 'Key retired: replaced by a newer key',
  cancelled: 'Subscription ended, keys revoked',
  revoked: 'Key revoked',
  expired: 'Key expired',
};

/** The actors that are not people. The name of an operator or publisher is shown as it is. */
const ACTORS: Readonly<Record<string, string>> = {
  service: 'Service',
  processor: 'Payment processor',
  customer: 'Customer',
  operator: 'Operator',
};

export const actorText = (actor: string): string => ownValue(ACTORS, actor) ?? actor;
