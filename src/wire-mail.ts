import { logMailer } from './adapters/mail/log-mailer.js';
import { SmtpMailer } from './adapters/mail/smtp-mailer.js';
import { sendNotices } from './application/send-notices.js';
import type { Config } from './config.js';
import { CLOCK, LOG, MAILER, METRICS, OUTBOX, SEND_NOTICES, type Wiring } from './parts.js';

/** What owners of accounts are told, and how. */
export function wireMail({ part, get }: Wiring, { smtpUrl: url, mailFrom: from }: Config): void {
  part(MAILER, () => {
    const log = get(LOG);
    if (url === undefined) return logMailer((notice) => log.info({ notice }, 'no SMTP_URL: not sent'));
    const report = (fault: unknown) => log.warn({ err: fault }, 'a mail was not taken');
    return new SmtpMailer({ url, from, report });
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
