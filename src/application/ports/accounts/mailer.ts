import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The outcome of an attempt to send: accepted; not accepted now, so try again; refused for good; or unknown, where a
 * retry could send it twice.
 */
export type Delivery = 'sent' | 'not now' | 'refused' | 'in doubt';

/**
 * Sends notices to the owners of accounts.
 *
 * What each adapter keeps:
 * - it never throws for a failure of the mail server: it returns a `Delivery`;
 * - it returns within 30 seconds;
 * - it sends, logs and returns no secrets.
 */
export interface Mailer {
  send(notice: Notice): Promise<Delivery>;
}

/**
 * Mails a sign-in link. The link is a secret: it is sent to nobody else and never logged. It does not throw for a failure
 * of the mail server, and returns within 30 seconds.
 */
export type MailSignInLink = (
  to: string,
  link: { readonly url: string; readonly endsAt: Moment },
) => Promise<Delivery>;
