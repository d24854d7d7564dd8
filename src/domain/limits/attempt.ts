import type { Policy } from './rate-limit.js';

/** What people may try how often: bounds against flooding and guessing, far beyond what anybody needs. */

/**
 * Where a client comes from, in the groups that attempts are counted by. `address` is one guest: an IPv4 address or an
 * IPv6 /64. `subnet` is what one guest can easily have: an IPv4 /24 or an IPv6 /64. Newcomers are limited by subnet and
 * never over all subnets together, since a stranger could use such a limit to lock everybody out.
 */
export type ClientGroups = { readonly address: string; readonly subnet: string };

/** Mails to one mailbox, whoever asks for them: it must not be flooded by strangers. */
export const LINKS_TO_MAILBOX: Policy = { name: 'sign_in_links', quota: 5, seconds: 900 };
/** Attempts to sign in from one client address: links asked for, ways to a provider, and tokens. */
export const ATTEMPTS_FROM_ADDRESS: Policy = { name: 'sign_in_attempts', quota: 30, seconds: 600 };
/** Sign-in mails to addresses without an account; mails to holders of accounts have the limit of their mailbox alone. */
export const newcomerMails = (perDay: number): Policy => ({
  name: 'newcomer_mails',
  quota: perDay,
  seconds: 86_400,
});
/** Accounts that people open themselves, whichever way they sign in. */
export const newAccounts = (perDay: number): Policy => ({
  name: 'new_accounts',
  quota: perDay,
  seconds: 86_400,
});
/** Wrong tokens of the internal listener from one client address. A right one from there is let in all the same. */
export const WRONG_TOKENS_FROM_ADDRESS: Policy = { name: 'wrong_tokens', quota: 30, seconds: 600 };
/** Log lines about wrong tokens from one client address. */
export const WRONG_TOKEN_WARNINGS: Policy = { name: 'wrong_token_warnings', quota: 1, seconds: 60 };
/** Keys that the holder of one account makes: each stays in the account for good. */
export const NEW_KEYS: Policy = { name: 'new_keys', quota: 20, seconds: 3_600 };
/** Ways to the pages of the processor, each of which it is asked for. */
export const PORTAL_VISITS: Policy = { name: 'portal_visits', quota: 10, seconds: 600 };
/** References for checkouts that the holder of one account makes. */
export const CHECKOUT_REFERENCES: Policy = { name: 'checkout_references', quota: 10, seconds: 600 };
