import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { SmtpMailer } from '../../../src/adapters/mail/smtp-mailer.js';
import type { Notice } from '../../../src/domain/accounts/notice.js';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { everythingIn } from '../../support/service/faults.js';

const notice: Notice = {
  to: 'ada@example.org',
  occasion: 'key_issued/key_1',
  news: { kind: 'key_issued', key: { prefix: 'svc_abcdefgh', label: null } },
};
const refusing = (command: string): SMTPServerOptions => ({ disabledCommands: ['STARTTLS', command] });
/** The server of the tests signs its own certificate. */
const TRUST = '?tls.rejectUnauthorized=false';

describe('An SMTP connection', () => {
  let server: MailServer;
  let faults: Error[];
  const mailer = async (options: SMTPServerOptions, { query = '', allowsPlain = false } = {}) => {
    server = await startMailServer(0, options);
    faults = [];
    const from = 'oddswire@example.org';
    const report = (fault: unknown) => faults.push(fault as Error);
    return new SmtpMailer({ url: `${server.url}${query}`, from, allowsPlain, report });
  };
  afterEach(() => server.stop());

  it('is encrypted before anything is sent, where the server offers STARTTLS', async () => {
    const secured: boolean[] = [];
    const options: SMTPServerOptions = {
      disabledCommands: [],
      onMailFrom: (_, session, done) => {
        secured.push(session.secure);
        done();
      },
    };
    const smtp = await mailer(options, { query: TRUST });
    expect(await smtp.send(notice)).to.equal('sent');
    expect([secured, faults]).to.deep.equal([[true], []]);
  });

  for (const query of ['', '?ignoreTLS=true', '?requireTLS=false', '?opportunisticTLS=true']) {
    it(`to a server without STARTTLS carries no mail, whatever the address adds: ${query}`, async () => {
      const smtp = await mailer({}, { query });
      expect(await smtp.send(notice)).to.equal('not now');
      expect(server.mails).to.have.length(0);
      expect(faults.map(({ message }) => message)).to.deep.equal([
        'the mail server does not offer STARTTLS, and mails are not sent unencrypted: use smtps:// or another server, or set SMTP_ALLOW_PLAIN=1',
      ]);
    });
  }

  it('to a server that does not even know EHLO carries no mail', async () => {
    const smtp = await mailer(refusing('EHLO'));
    expect(await smtp.send(notice)).to.equal('not now');
    expect(faults[0]?.message).to.include('SMTP_ALLOW_PLAIN=1');
  });

  it('carries no sign-in link either, and the fault does not tell it', async () => {
    const smtp = await mailer({});
    const link = { url: 'https://oddswire.example/link?token=hush', endsAt: '2026-01-31T12:00:00.000000Z' };
    expect(await smtp.sendSignInLink('ada@example.org', link as never)).to.equal('not now');
    const text = everythingIn(faults[0] ?? expect.fail('no fault'));
    expect(text).to.include('SMTP_ALLOW_PLAIN=1').and.not.include('hush');
  });

  it('with a certificate that nobody trusts carries no mail, and that is not taken for a missing STARTTLS', async () => {
    const smtp = await mailer({ disabledCommands: [] });
    expect(await smtp.send(notice)).to.equal('not now');
    expect(faults[0]?.message)
      .to.match(/certificate/i)
      .and.not.include('SMTP_ALLOW_PLAIN');
  });

  it('may be plain where the settings say so', async () => {
    const smtp = await mailer({}, { allowsPlain: true });
    expect(await smtp.send(notice)).to.equal('sent');
    expect(server.mails).to.have.length(1);
  });
});
