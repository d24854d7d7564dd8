import { hasOpenInvoice, obstaclesOf } from '../../../domain/accounts/access.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { Fault, Refusal } from '../../../domain/refusal.js';
import { waitText } from './moment.js';
import { momentText } from './moment-text.js';
import { capitalized, obstacleText } from './state-text.js';

/** Refusals caused by the state of the account. Every page explains them with the same text (`state-text.ts`). */
type StateRefusal = Refusal<
  'key_suspended' | 'payment_required' | 'subscription_incomplete' | 'subscription_paused'
>;

/** Why an action on this account was refused, and what to do. */
export function accountRefusalText(refusal: Refusal, account: Account): string {
  switch (refusal.refused) {
    case 'key_suspended':
      return obstacleText(refusal.causes, hasOpenInvoice(account));
    case 'payment_required':
    case 'subscription_incomplete':
    case 'subscription_paused':
      return obstacleText(obstaclesOf(account.subscription), hasOpenInvoice(account));
    default:
      return refusalText(refusal);
  }
}

/** Why an action was refused, and what to do. */
export function refusalText(refusal: Exclude<Refusal, StateRefusal>): string {
  switch (refusal.refused) {
    case 'allowance_exceeded':
      return `The plan limit of ${refusal.allowance} ${refusal.allowance === 1 ? 'key' : 'keys'} is reached. Rotate a key to replace it, or revoke one first.`;
    case 'too_many_keys':
      return tooManyKeysText(refusal);
    case 'too_many_destinations':
    case 'not_tested':
    case 'not_confirmed':
      return destinationText(refusal);
    case 'rotation_open':
      return 'This key is already part of a rotation. Finish that rotation first.';
    case 'no_replacement':
      return 'This key has no working replacement yet. Retiring it would leave you without a key.';
    case 'key_revoked':
      return 'This key is already revoked. This cannot be undone.';
    case 'changed_meanwhile':
      return 'This form was already submitted, or the account has changed since. Check the current state on this page, then try again.';
    case 'invalid_body':
    case 'invalid_parameter':
      return refusal.faults.map(faultText).join(' ');
    case 'not_found':
      return `${capitalized(refusal.what)} not found.`;
    case 'rate_limited':
      return `Too many requests. Try again in ${waitText(refusal.retryAfterSeconds)}.`;
    case 'account_exists':
    case 'account_linked':
    case 'account_deleted':
      return ACCOUNT_TEXTS[refusal.refused];
    case 'subscription_running':
      return 'The account has a subscription that has not ended. Cancel it at the payment processor first. If the account shows none, replay its failed payment events.';
    case 'payments_not_configured':
      return 'Payments are not configured.';
    case 'key_missing':
    case 'key_unknown':
      return 'Key not found.';
    case 'too_many_reads':
    case 'too_many_streams':
    case 'stream_replaced':
    case 'position_expired':
    case 'before_history':
      return 'The stream is not available.';
    case 'address_not_allowed':
      return `The key may not be used from ${refusal.address}.`;
    case 'insufficient_scope':
      return 'The key does not have a required scope. Create a new key to get it.';
  }
}

/** An error of a field as a sentence. */
export const faultText = ({ parameter, message }: Fault): string =>
  `${capitalized(parameter.replace(/^\//, ''))} ${message}.`;

const tooManyKeysText = ({ limit, nextAt }: Refusal<'too_many_keys'>): string =>
  nextAt === null
    ? `This account has created ${limit} keys, which is the most. Use the ones that it has.`
    : `This account has created ${limit} keys in 24 hours, which is the most. The next one can be created after ${momentText(nextAt)}. You can still revoke keys.`;

function destinationText(refusal: Refusal<'too_many_destinations' | 'not_tested' | 'not_confirmed'>): string {
  switch (refusal.refused) {
    case 'too_many_destinations':
      return `The plan limit of ${refusal.limit} ${refusal.limit === 1 ? 'destination' : 'destinations'} is reached. Remove one first.`;
    case 'not_tested':
      return 'Send a test first: the destination is enabled when its receiver answers with a status from 200 to 299.';
    case 'not_confirmed':
      return 'The owner of the mailbox must first open the link in the confirmation mail.';
  }
}

const ACCOUNT_TEXTS = {
  account_exists: 'Another account already has this email address or customer.',
  account_linked: 'The account is already linked to another customer of the payment processor.',
  account_deleted: 'The account is deleted and does not change any more.',
} as const;
