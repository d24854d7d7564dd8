import type { Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';
import type { MailConfirmation, MailDigest } from '../../application/ports/destinations/mail-digest.js';

/** Used without a mail server: logs each email as one line, without secrets. */
export const logMailer = (write: (line: Readonly<Record<string, unknown>>) => void): Mailer => ({
  send: async ({ to, occasion, news }) => {
    write({ to, occasion, ...news });
    return 'sent';
  },
});

/** Used without a mail server on localhost: prints the sign-in link. */
export const shownSignInLink =
  (show: (text: string) => void): MailSignInLink =>
  async (to, { url }) => {
    show(`Sign in as ${to}: ${url}`);
    return 'sent';
  };

/** Used without a mail server: logs how many changes an email would have, without the link to unsubscribe. */
export const loggedDigest =
  (write: (line: Readonly<Record<string, unknown>>) => void): MailDigest =>
  async (to, { messages }) => {
    write({ to, changes: messages.length });
    return 'sent';
  };

/** Used without a mail server on localhost: prints the link to confirm an address. */
export const shownConfirmation =
  (show: (text: string) => void): MailConfirmation =>
  async (to, { url }) => {
    show(`Confirm ${to}: ${url}`);
    return 'sent';
  };
