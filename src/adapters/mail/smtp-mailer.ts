import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Delivery, Mailer, MailSignInLink } from '../../application/ports/mailer.js';
import { type Letter, letterOf, signInLetter } from './letters.js';

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
    readonly report: (fault: unknown) => void;
  }) {
    this.#transport = createTransport({ url: parts.url, ...PATIENCE });
    this.#from = parts.from;
    this.#report = parts.report;
  }

  send({ to, news }: Parameters<Mailer['send']>[0]): Promise<Delivery> {
    return this.#mail(to, letterOf(news), (fault) => fault);
  }

  readonly sendSignInLink: MailSignInLink = (to, link) => this.#mail(to, signInLetter(link), codesOf);

  async #mail(to: string, { subject, text }: Letter, told: (fault: SmtpFault) => unknown): Promise<Delivery> {
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
      this.#report(told(fault as SmtpFault));
      return deliveryOf(fault as SmtpFault, isUnderWay);
    }
  }
}

/** A server that refuses for good says 5xx; wrong credentials of ours are no fault of the message. */
function deliveryOf({ responseCode, code }: SmtpFault, isUnderWay: boolean): Delivery {
  if (code === 'EAUTH') return 'not now';
  if (responseCode !== undefined) return responseCode >= 500 ? 'refused' : 'not now';
  return isUnderWay ? 'in doubt' : 'not now';
}

/** A server may quote what it refuses, and filters quote links: of a fault over a secret nothing but its codes is told. */
function codesOf({ responseCode, code, command }: SmtpFault): Error {
  const codes = [code, command, responseCode].filter((part) => part !== undefined);
  return new Error(`a sign-in link was not taken (${codes.join(', ')})`);
}
