import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * The outcome of an attempt to send. `sent`: the mail server accepted the email. `not now`: a retry may succeed.
 * `refused`: no retry can succeed. `in doubt`: the email may have been sent, so a retry could send it twice.
 */
export type Delivery = 'sent' | 'not now' | 'refused' | 'in doubt';

/**
 * Sends notices to the owners of accounts.
 *
 * What every adapter guarantees:
 * - it never throws for a failure of the mail server: it returns a `Delivery`. If it throws, nothing was sent;
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
