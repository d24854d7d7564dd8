import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { logMailer } from '../../src/adapters/mail/log-mailer.js';
import { SmtpMailer } from '../../src/adapters/mail/smtp-mailer.js';
import type { Notice } from '../../src/domain/notice.js';
import { NOON } from '../support/builders.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';

const notice: Notice = {
  to: 'ada@example.org',
  occasion: 'key_issued/key_1',
  news: { kind: 'key_issued', key: { prefix: 'svc_abcdefgh', label: 'Zürich' } },
};
const coded = (message: string, responseCode: number) => Object.assign(new Error(message), { responseCode });

describe('Mail', () => {
  const servers: MailServer[] = [];
  const mailer = async (options: SMTPServerOptions = {}) => {
    const server = await startMailServer(0, options);
    servers.push(server);
    const faults: unknown[] = [];
    const smtp = new SmtpMailer({
      url: server.url,
      from: 'Oddswire <oddswire@example.org>',
      report: (fault) => faults.push(fault),
    });
    return { server, faults, send: () => smtp.send(notice) };
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  it('arrives: from whom, to whom, about what, in any script', async () => {
    const { server, send } = await mailer();
    expect(await send()).to.equal('sent');
    const [mail] = server.mails;
    expect(mail).to.include({
      from: 'oddswire@example.org',
      to: 'ada@example.org',
      subject: 'Oddswire: A new API key',
    });
    expect(mail?.text).to.include('The key svc_abcdefgh… (Zürich) was issued');
  });

  it('is put off where the server says not now, is away, or does not know us', async () => {
    const busy = await mailer({ onRcptTo: (_, __, done) => done(coded('later', 451)) });
    expect(await busy.send()).to.equal('not now');
    expect(busy.faults).to.have.length(1);
    const full = await mailer({
      onData: (stream, _, done) => stream.resume().on('end', () => done(coded('full', 452))),
    });
    expect(await full.send()).to.equal('not now');
    const away = await mailer();
    await servers.pop()?.stop();
    expect(await away.send()).to.equal('not now');
    const strict = await mailer({ authOptional: false });
    expect(await strict.send()).to.equal('refused');
  });

  it('is given up where the server refuses it for good', async () => {
    const { send } = await mailer({ onRcptTo: (_, __, done) => done(coded('no such person', 550)) });
    expect(await send()).to.equal('refused');
  });

  it('is in doubt where the connection breaks once it is under way: it may have arrived', async () => {
    const dying = createServer((socket) => {
      socket.write('220 here\r\n');
      createInterface({ input: socket }).on('line', (line) => {
        // It has it all, and dies before it says so.
        if (line === '.') socket.destroy();
        else if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 yes\r\n');
        else if (line === 'DATA') socket.write('354 go on\r\n');
      });
    });
    await new Promise<void>((done) => dying.listen(0, '127.0.0.1', done));
    const url = `smtp://127.0.0.1:${(dying.address() as AddressInfo).port}`;
    const smtp = new SmtpMailer({ url, from: 'oddswire@example.org', report: () => {} });
    expect(await smtp.send(notice)).to.equal('in doubt');
    await new Promise((done) => dying.close(done));
  });

  it('is one line of the log without a server, with nothing secret in it', async () => {
    const lines: object[] = [];
    const log = logMailer((line) => lines.push(line));
    const suspended: Notice = {
      to: 'ada@example.org',
      occasion: 'suspended/1',
      news: { kind: 'key_retired', key: { prefix: 'svc_abcdefgh', label: null }, worksUntil: NOON },
    };
    expect(await log.send(suspended)).to.equal('sent');
    expect(lines).to.deep.equal([
      {
        to: 'ada@example.org',
        occasion: 'suspended/1',
        kind: 'key_retired',
        key: { prefix: 'svc_abcdefgh', label: null },
        worksUntil: NOON,
      },
    ]);
  });
});
