import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * What became of a notice: it was taken; it was not, and may be tried again; it never will be; or nobody can
 * say, and to try again could tell it twice.
 */
export type Delivery = 'sent' | 'not now' | 'refused' | 'in doubt';

/**
 * Tells the owner of an account something.
 *
 * What each adapter keeps:
 * - it never throws for what the other side does: that is what a `Delivery` says;
 * - it answers within half a minute;
 * - nothing secret is in what it sends, logs or answers.
 */
export interface Mailer {
  send(notice: Notice): Promise<Delivery>;
}

/**
 * Mails the link that signs somebody in. What it sends is a secret: it goes to nobody else, and never into a log. It
 * does not throw for what the other side does, and answers within half a minute.
 */
export type MailSignInLink = (
  to: string,
  link: { readonly url: string; readonly endsAt: Moment },
) => Promise<Delivery>;
