import type { Mailer } from '../../application/ports/mailer.js';

/** What would have been sent, for who has no mail server: one line, nothing secret. */
export const logMailer = (write: (line: Readonly<Record<string, unknown>>) => void): Mailer => ({
  send: async ({ to, occasion, news }) => {
    write({ to, occasion, ...news });
    return 'sent';
  },
});
