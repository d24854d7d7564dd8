import { skipped } from '../adapters/findings/check.js';
import { serverAddress } from '../adapters/findings/without-secrets.js';
import { type SmtpFault, smtpTransport } from '../adapters/mail/smtp-mailer.js';
import type { Config } from '../settings/config.js';
import { type ExternalAnswer, externalFinding } from './rules/external-answer.js';
import type { DoctorCheck } from './run-checks.js';

/** Connects, greets, encrypts and signs in as for an email, and sends none. */
export const mailCheck = ({ smtpUrl: url, smtpAllowsPlain }: Config): DoctorCheck => ({
  check: 'mail server',
  run: async () =>
    url === undefined
      ? skipped('SMTP_URL is not set')
      : externalFinding('mail server', serverAddress(url), await answerOf(url, smtpAllowsPlain)),
});

type MailFault = SmtpFault & { readonly message?: string };

async function answerOf(url: string, allowsPlain: boolean): Promise<ExternalAnswer> {
  const transport = smtpTransport({ url, allowsPlain });
  try {
    await transport.verify();
    return { answer: 'accepted' };
  } catch (thrown) {
    const fault = thrown as MailFault;
    return { answer: kindOf(fault), reason: reasonOf(fault) };
  } finally {
    transport.close();
  }
}

/** A certificate that is not trusted is an error of the socket, recognisable only by its message. */
function kindOf({ code, responseCode, message }: MailFault) {
  if (code === 'EAUTH') return 'credentials refused';
  const isOfTls = responseCode === undefined && /certificate|SSL|TLS/.test(message ?? '');
  return code === 'ETLS' || isOfTls ? 'encryption refused' : 'unreachable';
}

/** Of an answer of the server only the codes: it may quote what it was sent. */
function reasonOf(fault: MailFault): string {
  const { code, command, responseCode, message } = fault;
  const codes = [code, command, responseCode].filter((item) => item !== undefined).join(', ');
  if (responseCode !== undefined || code === 'EAUTH') return codes;
  return message === undefined ? codes : `${message} (${codes})`;
}
