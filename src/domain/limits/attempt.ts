import type { Policy } from './rate-limit.js';

/** The limits in this file protect against flooding and guessing. Normal use stays far below them. */

/**
 * The groups by which the attempts of a client are counted. `address` is one client: an IPv4 address or an IPv6 /64.
 * `subnet` is a range that one client can easily own: an IPv4 /24 or an IPv6 /64. The limit on new accounts applies to
 * each subnet. With one limit for all subnets, a single client could exhaust it and prevent all other people from
 * opening an account.
 */
export type ClientGroups = { readonly address: string; readonly subnet: string };

/** Sign-in emails to one mailbox, from all clients together, so that nobody can flood the mailbox. */
export const LINKS_TO_MAILBOX: Policy = { name: 'sign_in_links', quota: 5, seconds: 900 };
/** Attempts to sign in from one client address: requested links, redirects to a provider, and tokens. */
export const ATTEMPTS_FROM_ADDRESS: Policy = { name: 'sign_in_attempts', quota: 30, seconds: 600 };
/**
 * Sign-in emails to addresses without an account. For addresses with an account, only the limit of the mailbox applies.
 */
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
/** Calls of a subscription that take no permit: `GET /pm/v2/usage`, `GET /pm/v2/key`, and messages to `/mcp` that call no tool (D34). */
export const FREE_CALLS: Policy = { name: 'free_calls', quota: 600, seconds: 60 };
/** Keys that the holder of one account creates. They are limited because an account keeps every key permanently. */
export const NEW_KEYS: Policy = { name: 'new_keys', quota: 20, seconds: 3_600 };
/** Sandbox keys that the holder of one account creates or replaces (D139). */
export const NEW_SANDBOX_KEYS: Policy = { name: 'new_sandbox_keys', quota: 20, seconds: 3_600 };
/** Changes of keys by the holder of one account. They are limited because each adds to the audit log. */
export const KEY_CHANGES: Policy = { name: 'key_changes', quota: 100, seconds: 3_600 };
/** Visits to the billing portal. They are limited because each sends requests to the processor. */
export const PORTAL_VISITS: Policy = { name: 'portal_visits', quota: 10, seconds: 600 };
/** Checkout references that the holder of one account creates. */
export const CHECKOUT_REFERENCES: Policy = { name: 'checkout_references', quota: 10, seconds: 600 };
/** Connections of open feed pages of one account (D123). They are limited because each may be sent what it missed. */
export const FEED_PAGE_OPENS: Policy = { name: 'feed_page_opens', quota: 60, seconds: 60 };
/** Tests of the destinations of one account (D71). */
export const DESTINATION_TESTS: Policy = { name: 'destination_tests', quota: 10, seconds: 3_600 };
/** Tests of destinations at one host, from all accounts together. */
export const TESTS_OF_HOST: Policy = { name: 'destination_tests', quota: 30, seconds: 3_600 };
/** Links to confirm a mailbox, from one account: each sends an email to somebody who has not asked for it. */
export const DESTINATION_CONFIRMATIONS: Policy = {
  name: 'destination_confirmations',
  quota: 5,
  seconds: 3_600,
};
/** Changes of the destinations of one account by its holder. They are limited because each adds to the audit log. */
export const DESTINATION_CHANGES: Policy = { name: 'destination_changes', quota: 100, seconds: 3_600 };
