import type { Refusal } from '../../../domain/refusal.js';
import { CAUSE_WORDS, STATE_WORDS } from './cause-words.js';

/** A "no" of the rules, for people: what stands in the way, and what to do. */
export function refusalWords(refusal: Refusal): string {
  switch (refusal.refused) {
    case 'allowance_exceeded':
      return `The plan allows ${refusal.allowance === 1 ? 'one key' : `${refusal.allowance} keys`} at once, and you have ${refusal.allowance === 1 ? 'it' : 'them'}. Rotate a key to replace it, or revoke one first.`;
    case 'key_suspended':
      return refusal.causes
        .map((cause) => `${CAUSE_WORDS[cause].why} ${CAUSE_WORDS[cause].wayBack}`)
        .join(' ');
    case 'payment_required':
      return words(STATE_WORDS.unpaid.refused);
    case 'subscription_incomplete':
      return words(STATE_WORDS.incomplete.refused);
    case 'subscription_paused':
      return words(STATE_WORDS.paused.refused);
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
    case 'key_missing':
    case 'key_unknown':
      return 'There is no such key.';
    case 'insufficient_scope':
      return 'The key lacks a scope. A new key has it.';
  }
}

const words = (refused: { readonly why: string; readonly wayBack: string } | null): string =>
  refused === null ? '' : `${refused.why} ${refused.wayBack}`;
