import type { Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';

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
