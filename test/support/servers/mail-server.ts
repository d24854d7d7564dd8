import { EventEmitter, once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { reservedPort } from './reserved-port.js';

export type Mail = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The whole mail, with its headers. */
  readonly raw: string;
};

/** A real SMTP server and the mails that it received. */
export type MailServer = {
  readonly url: string;
  /** The settings of a service that sends through it, without encryption. */
  readonly settings: { readonly SMTP_URL: string; readonly SMTP_ALLOW_PLAIN: '1' };
  readonly mails: readonly Mail[];
  /** Resolves when `times` matching mails have arrived. */
  readonly arrived: (is: (mail: Mail) => boolean, times?: number) => Promise<readonly Mail[]>;
  readonly stop: () => Promise<void>;
};

/** `refuses` replaces handlers of the server, for tests of refused mails. */
export async function startMailServer(
  given: number | null = null,
  refuses: SMTPServerOptions = {},
): Promise<MailServer> {
  const port = given ?? (await reservedPort());
  const mails: Mail[] = [];
  const received = new EventEmitter();
  received.setMaxListeners(0);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join(', ');
          const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
          const raw = Buffer.concat(chunks).toString('utf8');
          mails.push({ from, to, raw, ...readMail(raw) });
          received.emit('mail');
          done();
        });
    },
    ...refuses,
  });
  server.on('error', () => {}); // Ignores connections that a test aborts.
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const url = `smtp://127.0.0.1:${port}`;
  return {
    url,
    settings: { SMTP_URL: url, SMTP_ALLOW_PLAIN: '1' },
    mails,
    arrived: async (is, times = 1) => {
      for (;;) {
        const found = mails.filter(is);
        if (found.length >= times) return found;
        await once(received, 'mail');
      }
    },
    stop: () => new Promise((done) => server.close(done)),
  };
}

/** Subject and text of a mail with one MIME part, in base64 or quoted-printable. */
function readMail(raw: string): { readonly subject: string; readonly text: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const subject = /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '';
  if (/^Content-Transfer-Encoding: base64/im.test(head)) {
    return { subject, text: Buffer.from(body, 'base64').toString('utf8') };
  }
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { subject, text: Buffer.from(bytes, 'latin1').toString('utf8') };
}
