import { logMailer, shownSignInLink } from '../adapters/mail/log-mailer.js';
import { SmtpMailer } from '../adapters/mail/smtp-mailer.js';
import { sendNotices } from '../application/accounts/send-notices.js';
import type { Config } from '../settings/config.js';
import {
  CLOCK,
  LOG,
  MAIL_SIGN_IN_LINK,
  MAILER,
  METRICS,
  OUTBOX,
  PUBLIC_ADDRESS,
  SEND_NOTICES,
  type Wiring,
} from './parts.js';

/** What owners of accounts are told, and how. */
export function wireMail({ part, get }: Wiring, config: Config): void {
  const { smtpUrl: url, smtpAllowsPlain: allowsPlain, mailFrom: from } = config;
  const smtp =
    url === undefined
      ? null
      : new SmtpMailer({
          url,
          from,
          allowsPlain,
          report: (fault) => get(LOG).warn({ err: fault }, 'a mail was not taken'),
        });
  part(MAILER, () => smtp ?? logMailer((notice) => get(LOG).info({ notice }, 'no SMTP_URL: not sent')));
  part(MAIL_SIGN_IN_LINK, () => {
    const address = get(PUBLIC_ADDRESS);
    if (!address.isPrivate) return null;
    if (smtp !== null) return smtp.sendSignInLink;
    // On one's own machine who reads the terminal is who signs in.
    return address.isSecure ? null : shownSignInLink((text) => console.error(text));
  });
  part(SEND_NOTICES, () =>
    sendNotices({
      outbox: get(OUTBOX),
      mailer: get(MAILER),
      clock: get(CLOCK),
      note: (how) => get(METRICS).notice(how),
    }),
  );
}
