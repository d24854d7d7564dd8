import type { DeliveredMessage } from '../../../domain/destinations/delivered-message.js';
import type { Moment } from '../../../domain/moment.js';
import type { Delivery } from '../accounts/mailer.js';

/** The changes of one email, and the links in it. */
export type Digest = {
  readonly messages: readonly DeliveredMessage[];
  /** The feed in the dashboard. */
  readonly feedUrl: string;
  /** Ends these emails with one POST, without a sign-in (RFC 8058). It contains a secret. */
  readonly unsubscribeUrl: string;
};

/**
 * Mails the changes of a batch to an address that agreed to it. The link to unsubscribe is sent to nobody else and
 * never logged. It does not throw for a failure of the mail server, and returns within 30 seconds.
 */
export type MailDigest = (to: string, digest: Digest) => Promise<Delivery>;

/**
 * Asks an address that is not the address of the account for its consent. The link is a secret, as that of
 * `MailSignInLink` is, with the same guarantees.
 */
export type MailConfirmation = (
  to: string,
  request: { readonly account: string; readonly url: string; readonly endsAt: Moment },
) => Promise<Delivery>;
