import { obstaclesOf, owes } from '../../../domain/accounts/access.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { Refusal } from '../../../domain/refusal.js';
import { obstacleText } from './state-text.js';

/** Refusals whose reason is in the account: its pages all say the same of it (`state-text.ts`). */
type StateRefusal = Refusal<
  'key_suspended' | 'payment_required' | 'subscription_incomplete' | 'subscription_paused'
>;

/** A refusal of something that was to be done with this account. */
export function accountRefusalText(refusal: Refusal, account: Account): string {
  switch (refusal.refused) {
    case 'key_suspended':
      return obstacleText(refusal.causes, owes(account));
    case 'payment_required':
    case 'subscription_incomplete':
    case 'subscription_paused':
      return obstacleText(obstaclesOf(account.subscription), owes(account));
    default:
      return refusalText(refusal);
  }
}

/** A "no" of the rules, for people: what stands in the way, and what to do. */
export function refusalText(refusal: Exclude<Refusal, StateRefusal>): string {
  switch (refusal.refused) {
    case 'allowance_exceeded':
      return `The plan allows ${refusal.allowance === 1 ? 'one key' : `${refusal.allowance} keys`} at once, and you have ${refusal.allowance === 1 ? 'it' : 'them'}. Rotate a key to replace it, or revoke one first.`;
    case 'rotation_open':
      return 'This key is already one of two in a rotation. Finish that one first.';
    case 'no_replacement':
      return 'There is no newer key that works yet: without one this would leave you with none.';
    case 'key_revoked':
      return 'This key is revoked already. That is final.';
    case 'changed_meanwhile':
      return 'That form was sent once already, or the keys have changed since the page was made. This is how they stand now.';
    case 'invalid_body':
    case 'invalid_parameter':
      return refusal.faults
        .map(({ parameter, message }) => `${parameter.replace(/^\//, '')}: ${message}.`)
        .join(' ');
    case 'not_found':
      return `There is no such ${refusal.what}.`;
    case 'rate_limited':
      return `Too many requests. Try again in ${refusal.retryAfterSeconds} seconds.`;
    case 'account_exists':
      return 'Another account has this already.';
    case 'account_linked':
      return 'The account is another customer of the payment processor already.';
    case 'payments_not_configured':
      return 'No payments are taken here.';
    case 'key_missing':
    case 'key_unknown':
      return 'There is no such key.';
    case 'insufficient_scope':
      return 'The key lacks a scope. A new key has it.';
  }
}
