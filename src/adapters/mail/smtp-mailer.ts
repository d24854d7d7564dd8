import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Delivery, Mailer, MailSignInLink } from '../../application/ports/accounts/mailer.js';
import { type Email, emailOf, signInEmail } from './email-templates.js';

/** Together less than the half minute that a mailer has. */
const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 };

type SmtpFault = { readonly responseCode?: number; readonly code?: string; readonly command?: string };

/** Sends by a mail server. */
export class SmtpMailer implements Mailer {
  readonly #transport;
  readonly #from: string;
  readonly #report: (fault: unknown) => void;

  constructor(parts: {
    readonly url: string;
    readonly from: string;
    /** Whether a server may be used that does not encrypt. */
    readonly allowsPlain: boolean;
    readonly report: (fault: unknown) => void;
  }) {
    this.#transport = createTransport({
      url: parts.allowsPlain ? parts.url : requiringTls(parts.url),
      ...PATIENCE,
    });
    this.#from = parts.from;
    this.#report = parts.report;
  }

  send({ to, news }: Parameters<Mailer['send']>[0]): Promise<Delivery> {
    return this.#mail(to, emailOf(news), (fault) => fault);
  }

  readonly sendSignInLink: MailSignInLink = (to, link) => this.#mail(to, signInEmail(link), codesOf);

  async #mail(
    to: string,
    { subject, text }: Email,
    errorOf: (fault: SmtpFault) => unknown,
  ): Promise<Delivery> {
    let isUnderWay = false;
    // Read only once the server has said that it takes the message: until then it surely has not.
    const body = Readable.from(
      (async function* () {
        isUnderWay = true;
        yield text;
      })(),
    );
    try {
      await this.#transport.sendMail({ from: this.#from, to, subject, text: body });
      return 'sent';
    } catch (fault) {
      this.#report(isWithoutStartTls(fault as SmtpFault) ? noStartTls(fault) : errorOf(fault as SmtpFault));
      return deliveryOf(fault as SmtpFault, isUnderWay);
    }
  }
}

/** Options in the address win over all others, so this one must stand there too. */
function requiringTls(address: string): string {
  const url = new URL(address);
  url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** Commands that set the connection up: when one is refused, the message is not the cause. */
const GREETINGS = ['EHLO', 'STARTTLS'];

/** A server that refuses for good says 5xx; wrong credentials of ours are no fault of the message. */
function deliveryOf({ responseCode, code, command }: SmtpFault, isUnderWay: boolean): Delivery {
  if (code === 'EAUTH' || GREETINGS.includes(command ?? '')) return 'not now';
  if (responseCode !== undefined) return responseCode >= 500 ? 'refused' : 'not now';
  return isUnderWay ? 'in doubt' : 'not now';
}

/** A required STARTTLS is sent to every server, and refused by one without it. A failed handshake has no response. */
const isWithoutStartTls = ({ command, responseCode }: SmtpFault): boolean =>
  responseCode !== undefined && GREETINGS.includes(command ?? '');

const noStartTls = (cause: unknown): Error =>
  new Error(
    'the mail server does not offer STARTTLS, and mails are not sent unencrypted: use smtps:// or another server, or set SMTP_ALLOW_PLAIN=1',
    { cause },
  );

/** A server may quote what it refuses, and filters quote links: of a fault over a secret nothing but its codes is told. */
function codesOf({ responseCode, code, command }: SmtpFault): Error {
  const codes = [code, command, responseCode].filter((piece) => piece !== undefined);
  return new Error(`a sign-in link was not taken (${codes.join(', ')})`);
}
