import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import {
  loggedDigest,
  logMailer,
  shownConfirmation,
  shownSignInLink,
} from '../../../src/adapters/mail/log-mailer.js';
import { SmtpMailer } from '../../../src/adapters/mail/smtp-mailer.js';
import { randomSecrets } from '../../../src/adapters/system/random-ids.js';
import type { Notice } from '../../../src/domain/accounts/notice.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { NOON } from '../../support/objects/builders.js';
import { delivered, retracted } from '../../support/objects/hostile-items.js';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { everythingIn } from '../../support/service/faults.js';
import { emailAddress } from '../../support/service/sign-in.js';

const notice: Notice = {
  to: 'ada@example.org',
  occasion: 'key_issued/key_1',
  news: { kind: 'key_issued', key: { prefix: 'svc_abcdefgh', label: 'Zürich' } },
};
const coded = (message: string, responseCode: number) => Object.assign(new Error(message), { responseCode });

describe('The mailer', () => {
  const servers: MailServer[] = [];
  const mailer = async (options: SMTPServerOptions = {}) => {
    const server = await startMailServer(null, options);
    servers.push(server);
    const faults: unknown[] = [];
    const smtp = new SmtpMailer({
      plans: PLANS,
      url: server.url,
      from: 'Oddswire <oddswire@example.org>',
      allowsPlain: true,
      report: (fault) => faults.push(fault),
    });
    return { server, faults, smtp, send: () => smtp.send(notice) };
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  it('sends an email with sender, recipient, subject and text in any script', async () => {
    const { server, send } = await mailer();
    expect(await send()).to.equal('sent');
    const [mail] = server.mails;
    expect(mail).to.include({
      from: 'oddswire@example.org',
      to: 'ada@example.org',
      subject: 'Oddswire: API key created',
    });
    expect(mail?.text).to.include('API key svc_abcdefgh… (Zürich) was created');
  });

  it('postpones an email if the server refuses it for now or is unreachable', async () => {
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

  it('gives up an email that the server refuses permanently', async () => {
    const { send } = await mailer({ onRcptTo: (_, __, done) => done(coded('no such person', 550)) });
    expect(await send()).to.equal('refused');
  });

  it('reports an email as in doubt if the connection breaks during the transfer: it may have arrived', async () => {
    const dying = createServer((socket) => {
      socket.write('220 here\r\n');
      createInterface({ input: socket }).on('line', (line) => {
        // The server has the whole email and fails before it confirms.
        if (line === '.') socket.destroy();
        else if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 yes\r\n');
        else if (line === 'DATA') socket.write('354 go on\r\n');
      });
    });
    await new Promise<void>((done) => dying.listen(0, '127.0.0.1', done));
    const url = `smtp://127.0.0.1:${(dying.address() as AddressInfo).port}`;
    const smtp = new SmtpMailer({
      url,
      from: 'oddswire@example.org',
      allowsPlain: true,
      report: () => {},
      plans: PLANS,
    });
    expect(await smtp.send(notice)).to.equal('in doubt');
    await new Promise((done) => dying.close(done));
  });

  it('logs one line without secrets if there is no mail server', async () => {
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

  describe('with a sign-in link', () => {
    const SECRET = randomSecrets.make();
    const link = { url: `https://oddswire.example/dashboard/sign-in/link?token=${SECRET}`, endsAt: NOON };

    it('sends the complete link and its expiry', async () => {
      const { server, faults, smtp } = await mailer();
      for (let i = 0; i < 5; i += 1) {
        const url = `https://oddswire.example/dashboard/sign-in/link?token=${randomSecrets.make()}`;
        expect(await smtp.sendSignInLink('ada@example.org', { url, endsAt: NOON })).to.equal('sent');
        const { subject, text } = server.mails.at(-1) ?? expect.fail('no mail');
        expect(subject).to.equal('Oddswire: Your sign-in link');
        expect(text.split('\r\n')).to.include(url);
        expect(text).to.include('until 12:00 UTC');
      }
      expect(faults).to.deep.equal([]);
    });

    it('sends it to exactly this address, whatever characters it contains (D42)', async () => {
      const { server, smtp } = await mailer();
      const names = ["o'neil+a.b", '{a}', '=?utf-8?q?eve?=', '%eve', '!#$&*/^`|~', '-'];
      for (const name of names) {
        const address = emailAddress(`${name}@example.org`);
        expect(await smtp.sendSignInLink(address, link), address).to.equal('sent');
        expect(server.mails.at(-1)?.to).to.equal(address);
      }
      expect(server.mails).to.have.length(names.length);
    });

    const refusing = (code: number): readonly SMTPServerOptions[] => [
      { onMailFrom: (_, __, done) => done(coded(`not with ${link.url}`, code)) },
      { onRcptTo: (_, __, done) => done(coded(`not with ${link.url}`, code)) },
      {
        onData: (stream, _, done) =>
          stream.resume().on('end', () => done(coded(`a bad link: ${link.url} (${SECRET})`, code))),
      },
    ];

    it('reports only the codes of a refusal, without the text of the server', async () => {
      for (const [code, delivery] of [
        [451, 'not now'],
        [554, 'refused'],
      ] as const) {
        for (const options of refusing(code)) {
          const { faults, smtp } = await mailer(options);
          expect(await smtp.sendSignInLink('ada@example.org', link)).to.equal(delivery);
          const [fault] = faults;
          const text = everythingIn(fault instanceof Error ? fault : expect.fail('no fault'));
          expect(text).to.include(String(code));
          expect(text).not.to.include(SECRET).and.not.include('token=');
        }
      }
    });

    it('postpones it if the server is unreachable, and reports that without the link', async () => {
      const { faults, smtp } = await mailer();
      await servers.pop()?.stop();
      expect(await smtp.sendSignInLink('ada@example.org', link)).to.equal('not now');
      const [fault] = faults;
      const text = everythingIn(fault instanceof Error ? fault : expect.fail('no fault'));
      expect(text).not.to.include(SECRET);
    });

    it('prints it if there is no mail server', async () => {
      const shown: string[] = [];
      const show = shownSignInLink((text) => shown.push(text));
      expect(await show('ada@example.org', link)).to.equal('sent');
      expect(shown).to.deep.equal([`Sign in as ada@example.org: ${link.url}`]);
    });
  });

  describe('with changes of the feed', () => {
    const SECRET = randomSecrets.make();
    const digest = {
      messages: [
        delivered({ news_event: { headline: 'Zürich\r\nBcc: eve@example.org\r\n\r\nx' } }),
        retracted('ne_2'),
      ],
      feedUrl: 'https://oddswire.example/dashboard/feed',
      unsubscribeUrl: `https://oddswire.example/destinations/unsubscribe?token=${SECRET}`,
    };

    it('sends them as text and HTML, with the headers of RFC 8058 and none of a publisher', async () => {
      const { server, faults, smtp } = await mailer();
      expect(await smtp.sendDigest('ada@example.org', digest)).to.equal('sent');
      expect(faults).to.deep.equal([]);
      const [{ raw, to } = expect.fail('no mail')] = server.mails;
      expect(to).to.equal('ada@example.org');
      const [head = '', ...bodies] = raw.split('\r\n\r\n');
      const headers = head.replaceAll('\r\n ', ' ').split('\r\n');
      expect(headers).to.include('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
      // A long address may be on a line of its own.
      expect(headers.find((line) => line.startsWith('List-Unsubscribe:'))?.replace(/ +/, ' ')).to.equal(
        `List-Unsubscribe: <${digest.unsubscribeUrl}>`,
      );
      expect(headers.filter((line) => /^bcc/i.test(line))).to.deep.equal([]);
      expect(bodies.join()).to.include('Content-Type: text/html').and.include('Content-Type: text/plain');
    });

    it('reports only the codes of a refusal: servers quote the link to unsubscribe', async () => {
      const { faults, smtp } = await mailer({
        onData: (stream, _, done) => stream.resume().on('end', () => done(coded(`spam: ${SECRET}`, 554))),
      });
      expect(await smtp.sendDigest('ada@example.org', digest)).to.equal('refused');
      const [fault] = faults;
      const text = everythingIn(fault instanceof Error ? fault : expect.fail('no fault'));
      expect(text).to.include('554').and.not.include(SECRET);
    });

    it('logs how many there are if there is no mail server, without the link to unsubscribe', async () => {
      const lines: object[] = [];
      expect(await loggedDigest((line) => lines.push(line))('ada@example.org', digest)).to.equal('sent');
      expect(lines).to.deep.equal([{ to: 'ada@example.org', changes: 2 }]);
    });
  });

  describe('with a link to confirm an address', () => {
    const url = `https://oddswire.example/destinations/confirm?token=${randomSecrets.make()}`;
    const request = { account: 'ada@example.org', url, endsAt: NOON };

    it('says who asks, until when the link works, and what happens without it', async () => {
      const { server, smtp } = await mailer();
      expect(await smtp.sendConfirmation('desk@example.org', request)).to.equal('sent');
      const [{ subject, text, to } = expect.fail('no mail')] = server.mails;
      expect([subject, to]).to.deep.equal(['Oddswire: Confirm your email address', 'desk@example.org']);
      expect(text.split('\r\n')).to.include(url);
      expect(text)
        .to.include('account ada@example.org')
        .and.include('before 1 March 2026, 12:00 UTC')
        .and.include('Without your confirmation none is sent.');
    });

    it('prints it if there is no mail server', async () => {
      const shown: string[] = [];
      await shownConfirmation((text) => shown.push(text))('desk@example.org', request);
      expect(shown).to.deep.equal([`Confirm desk@example.org: ${url}`]);
    });
  });
});
