import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Delivery, Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';
import type { MailConfirmation, MailDigest } from '../../application/ports/destinations/mail-digest.js';
import type { Plans } from '../../domain/billing/plan.js';
import { digestMail } from '../destinations/digest-mail.js';
import { confirmationEmail, type Email, emailOf, signInEmail } from './email-templates.js';

/** In milliseconds. A mailer must return within 30 s. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 };

export type SmtpFault = { readonly responseCode?: number; readonly code?: string; readonly command?: string };

/** `allowsPlain`: whether emails may be sent without encryption. */
export const smtpTransport = ({
  url,
  allowsPlain,
}: {
  readonly url: string;
  readonly allowsPlain: boolean;
}) => createTransport({ url: allowsPlain ? url : requiringTls(url), ...TIMEOUTS });

/** Sends emails through an SMTP server. */
export class SmtpMailer implements Mailer {
  readonly #transport;
  readonly #from: string;
  readonly #plans: Plans;
  readonly #report: (fault: unknown) => void;

  constructor(parts: {
    readonly url: string;
    readonly from: string;
    /** Whether emails may be sent without encryption. */
    readonly allowsPlain: boolean;
    readonly plans: Plans;
    readonly report: (fault: unknown) => void;
  }) {
    this.#transport = smtpTransport(parts);
    this.#from = parts.from;
    this.#plans = parts.plans;
    this.#report = parts.report;
  }

  send({ to, news }: Parameters<Mailer['send']>[0]): Promise<Delivery> {
    return this.#sendEmail(to, emailOf(news, this.#plans), {}, (fault) => fault);
  }

  readonly sendSignInLink: MailSignInLink = (to, link) =>
    this.#sendEmail(to, signInEmail(link), {}, codesOf('a sign-in link'));

  readonly sendDigest: MailDigest = (to, digest) => {
    const { headers, ...email } = digestMail(digest);
    return this.#sendEmail(to, email, headers, codesOf('an email with changes of the feed'));
  };

  readonly sendConfirmation: MailConfirmation = (to, request) =>
    this.#sendEmail(to, confirmationEmail(request), {}, codesOf('a link to confirm an address'));

  async #sendEmail(
    to: string,
    { text, ...email }: Email,
    headers: Readonly<Record<string, string>>,
    errorOf: (fault: SmtpFault) => unknown,
  ): Promise<Delivery> {
    let isInTransfer = false;
    // The body is read only after the server has accepted DATA: before that, the email was certainly not sent.
    const body = Readable.from(
      (async function* () {
        isInTransfer = true;
        yield text;
      })(),
    );
    try {
      await this.#transport.sendMail({ from: this.#from, to, headers, ...email, text: body });
      return 'sent';
    } catch (fault) {
      this.#report(isWithoutStartTls(fault as SmtpFault) ? noStartTls(fault) : errorOf(fault as SmtpFault));
      return deliveryOf(fault as SmtpFault, isInTransfer);
    }
  }
}

/** Sets `requireTLS` in the URL, because options in the URL override all other options. */
function requiringTls(address: string): string {
  const url = new URL(address);
  url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** Commands that open the connection. If the server refuses one of them, the message is not the cause. */
const CONNECTION_COMMANDS = ['EHLO', 'STARTTLS'];

/** A permanent refusal is 5xx. Wrong credentials are not a refusal of the message, so the message is sent again. */
function deliveryOf({ responseCode, code, command }: SmtpFault, isInTransfer: boolean): Delivery {
  if (code === 'EAUTH' || CONNECTION_COMMANDS.includes(command ?? '')) return 'not now';
  if (responseCode !== undefined) return responseCode >= 500 ? 'refused' : 'not now';
  return isInTransfer ? 'in doubt' : 'not now';
}

/**
 * With `requireTLS`, STARTTLS is sent to every server, and a server without STARTTLS refuses it. A failed handshake has
 * no response code.
 */
const isWithoutStartTls = ({ command, responseCode }: SmtpFault): boolean =>
  responseCode !== undefined && CONNECTION_COMMANDS.includes(command ?? '');

const noStartTls = (cause: unknown): Error =>
  new Error(
    'the mail server does not offer STARTTLS, and emails are not sent unencrypted: use smtps:// or another server, or set SMTP_ALLOW_PLAIN=1',
    { cause },
  );

/**
 * Servers quote the text that they refuse, also a link. For an email with a secret, only the codes are therefore
 * reported.
 */
const codesOf =
  (name: string) =>
  ({ responseCode, code, command }: SmtpFault): Error => {
    const codes = [code, command, responseCode].filter((item) => item !== undefined);
    return new Error(`${name} could not be sent (${codes.join(', ')})`);
  };
