import type { Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';

/** Without a mail server: logs each email as one line, without secrets. */
export const logMailer = (write: (line: Readonly<Record<string, unknown>>) => void): Mailer => ({
  send: async ({ to, occasion, news }) => {
    write({ to, occasion, ...news });
    return 'sent';
  },
});

/** Without a mail server, on the operator's own machine: prints the sign-in link. */
export const shownSignInLink =
  (show: (text: string) => void): MailSignInLink =>
  async (to, { url }) => {
    show(`Sign in as ${to}: ${url}`);
    return 'sent';
  };
