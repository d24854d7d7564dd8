import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { diagnose, withResult } from '../../support/doctor/run-doctor.js';
import { startMailServer } from '../../support/servers/mail-server.js';

const PASSWORD = 'password-of-the-mail-server';
/** The test server has a self-signed certificate. */
const TRUST = '?tls.rejectUnauthorized=false';

describe('The doctor of a mail server', function () {
  this.timeout(20_000);

  const examine = async (options: SMTPServerOptions, query = '') => {
    const server = await startMailServer(null, options);
    try {
      const SMTP_URL = `smtp://news:${PASSWORD}@${new URL(server.url).host}${query}`;
      return await diagnose({ SMTP_URL }, [PASSWORD]);
    } finally {
      await server.stop();
    }
  };

  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [title: string, SMTPServerOptions, query: string, detail: RegExp, advice: RegExp])[] = [
    ['refuses the password',             { disabledCommands: [], onAuth: (_auth, _session, done) => done(new Error(`not ${PASSWORD}`)) }, TRUST, /credentials are refused: EAUTH/, /password in SMTP_URL/],
    ['has no STARTTLS',                  { disabledCommands: ['STARTTLS'] }, '',    /cannot be encrypted: ETLS, STARTTLS, 500/, /SMTP_ALLOW_PLAIN=1/],
    ['has a certificate that is invalid', { disabledCommands: [] },          '',    /cannot be encrypted: .*certificate/,      /valid certificate/],
    ['refuses this machine',             { onConnect: (_session, done) => done(Object.assign(new Error(PASSWORD), { responseCode: 554 })) }, '', /request failed: EPROTOCOL, CONN, 554/, /accepts this machine/],
  ];
  for (const [title, options, query, detail, advice] of rows) {
    it(`names one that ${title}`, async () => {
      const { code, checks } = await examine(options, query);
      expect(withResult(checks, 'failed')).to.deep.equal(['mail server']);
      expect(checks.get('mail server')?.detail).to.match(detail);
      expect(checks.get('mail server')?.advice).to.match(advice);
      expect(code).to.equal(1);
    });
  }

  it('names one that is not there', async () => {
    const { code, checks } = await diagnose({ SMTP_URL: 'smtp://127.0.0.1:1' }, []);
    expect(checks.get('mail server')?.detail).to.include('ECONNREFUSED');
    expect(code).to.equal(1);
  });
});
