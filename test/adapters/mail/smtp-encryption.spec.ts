import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { SmtpMailer } from '../../../src/adapters/mail/smtp-mailer.js';
import type { Notice } from '../../../src/domain/accounts/notice.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { everythingIn } from '../../support/service/faults.js';

const notice: Notice = {
  to: 'ada@example.org',
  occasion: 'key_issued/key_1',
  news: { kind: 'key_issued', key: { prefix: 'svc_abcdefgh', label: null } },
};
const refusing = (command: string): SMTPServerOptions => ({ disabledCommands: ['STARTTLS', command] });
/** The test server has a self-signed certificate. */
const TRUST = '?tls.rejectUnauthorized=false';

describe('An SMTP connection', () => {
  let server: MailServer;
  let faults: Error[];
  const mailer = async (options: SMTPServerOptions, { query = '', allowsPlain = false } = {}) => {
    server = await startMailServer(null, options);
    faults = [];
    const from = 'oddswire@example.org';
    const report = (fault: unknown) => faults.push(fault as Error);
    return new SmtpMailer({ url: `${server.url}${query}`, from, allowsPlain, report, plans: PLANS });
  };
  afterEach(() => server.stop());

  it('is encrypted before anything is sent if the server offers STARTTLS', async () => {
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
    it(`sends nothing to a server without STARTTLS, whatever the options in the URL: ${query}`, async () => {
      const smtp = await mailer({}, { query });
      expect(await smtp.send(notice)).to.equal('not now');
      expect(server.mails).to.have.length(0);
      expect(faults.map(({ message }) => message)).to.deep.equal([
        'the mail server does not offer STARTTLS, and emails are not sent unencrypted: use smtps:// or another server, or set SMTP_ALLOW_PLAIN=1',
      ]);
    });
  }

  it('sends nothing to a server that does not support EHLO', async () => {
    const smtp = await mailer(refusing('EHLO'));
    expect(await smtp.send(notice)).to.equal('not now');
    expect(faults[0]?.message).to.include('SMTP_ALLOW_PLAIN=1');
  });

  it('sends no sign-in link either, and the reported error does not contain it', async () => {
    const smtp = await mailer({});
    const link = { url: 'https://oddswire.example/link?token=hush', endsAt: '2026-01-31T12:00:00.000000Z' };
    expect(await smtp.sendSignInLink('ada@example.org', link as never)).to.equal('not now');
    const text = everythingIn(faults[0] ?? expect.fail('no fault'));
    expect(text).to.include('SMTP_ALLOW_PLAIN=1').and.not.include('hush');
  });

  it('sends nothing with an untrusted certificate, and does not report that as a missing STARTTLS', async () => {
    const smtp = await mailer({ disabledCommands: [] });
    expect(await smtp.send(notice)).to.equal('not now');
    expect(faults[0]?.message)
      .to.match(/certificate/i)
      .and.not.include('SMTP_ALLOW_PLAIN');
  });

  it('may be unencrypted if the settings allow it', async () => {
    const smtp = await mailer({}, { allowsPlain: true });
    expect(await smtp.send(notice)).to.equal('sent');
    expect(server.mails).to.have.length(1);
  });
});
