import type { Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';

/** What would have been sent, for who has no mail server: one line, nothing secret. */
export const logMailer = (write: (line: Readonly<Record<string, unknown>>) => void): Mailer => ({
  send: async ({ to, occasion, news }) => {
    write({ to, occasion, ...news });
    return 'sent';
  },
});

/** For who runs the service on their own machine, without a mail server: the link is shown to them and nobody else. */
export const shownSignInLink =
  (show: (text: string) => void): MailSignInLink =>
  async (to, { url }) => {
    show(`Sign in as ${to}: ${url}`);
    return 'sent';
  };
