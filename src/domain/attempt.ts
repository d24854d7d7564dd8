import type { Policy } from './rate-limit.js';

/** What people may try how often: bounds against flooding and guessing, far beyond what anybody needs. */

/** Mails to one mailbox, whoever asks for them: it must not be flooded by strangers. */
export const LINKS_TO_MAILBOX: Policy = { name: 'sign_in_links', quota: 5, seconds: 900 };
/** Attempts to sign in from one client address: links asked for, ways to a provider, and tokens. */
export const ATTEMPTS_FROM_ADDRESS: Policy = { name: 'sign_in_attempts', quota: 30, seconds: 600 };
/** Keys that the holder of one account makes: each stays in the account for good. */
export const NEW_KEYS: Policy = { name: 'new_keys', quota: 20, seconds: 3_600 };
/** Ways to the pages of the processor, each of which it is asked for. */
export const PORTAL_VISITS: Policy = { name: 'portal_visits', quota: 10, seconds: 600 };
