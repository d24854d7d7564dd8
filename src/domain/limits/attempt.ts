import type { Policy } from './rate-limit.js';

/** Limits on attempts, against flooding and guessing. They are far above normal use. */

/**
 * The groups by which the attempts of a client are counted. `address` is one client: an IPv4 address or an IPv6 /64.
 * `subnet` is a range that one client can easily own: an IPv4 /24 or an IPv6 /64. New accounts are limited for each
 * subnet, never for all together: a stranger could exhaust a global limit and lock everybody out.
 */
export type ClientGroups = { readonly address: string; readonly subnet: string };

/** Sign-in mails to one mailbox, whoever requests them: strangers must not be able to flood it. */
export const LINKS_TO_MAILBOX: Policy = { name: 'sign_in_links', quota: 5, seconds: 900 };
/** Attempts to sign in from one client address: requested links, redirects to a provider, and tokens. */
export const ATTEMPTS_FROM_ADDRESS: Policy = { name: 'sign_in_attempts', quota: 30, seconds: 600 };
/** Sign-in mails to addresses without an account. For other addresses only the limit of the mailbox applies. */
export const mailsWithoutAccount = (perDay: number): Policy => ({
  name: 'newcomer_mails',
  quota: perDay,
  seconds: 86_400,
});
/** Accounts that people open by signing in, by link or by provider. */
export const newAccounts = (perDay: number): Policy => ({
  name: 'new_accounts',
  quota: perDay,
  seconds: 86_400,
});
/** Wrong tokens of the internal listener from one client address. A correct token from there is still accepted. */
export const WRONG_TOKENS_FROM_ADDRESS: Policy = { name: 'wrong_tokens', quota: 30, seconds: 600 };
/** Log lines about wrong tokens from one client address. */
export const WRONG_TOKEN_WARNINGS: Policy = { name: 'wrong_token_warnings', quota: 1, seconds: 60 };
/** Keys that the holder of one account creates: the account keeps every key for good. */
export const NEW_KEYS: Policy = { name: 'new_keys', quota: 20, seconds: 3_600 };
/** Visits to the billing portal: each one costs a request to the processor. */
export const PORTAL_VISITS: Policy = { name: 'portal_visits', quota: 10, seconds: 600 };
/** Checkout references that the holder of one account creates. */
export const CHECKOUT_REFERENCES: Policy = { name: 'checkout_references', quota: 10, seconds: 600 };
