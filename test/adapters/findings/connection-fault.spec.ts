import { expect } from 'chai';
import {
  connectionFinding,
  isRefusedByPooler,
  POOLER_ADVICE,
} from '../../../src/adapters/findings/connection-fault.js';

describe('A connection that fails', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    ['Postgres', '28P01',        'password authentication failed', /user name and the password/],
    ['Postgres', '28000',        'no pg_hba.conf entry',           /pg_hba\.conf/],
    ['Postgres', '3D000',        'database does not exist',        /Create the database/],
    ['Postgres', '53300',        'too many clients',               /max_connections/],
    ['Postgres', 'ENOTFOUND',    'getaddrinfo ENOTFOUND db',       /host name/],
    ['Postgres', 'ECONNREFUSED', 'connect ECONNREFUSED',           /Start Postgres/],
    ['Postgres', '08P01',        'query_wait_timeout',             /psql/],
    ['Postgres', 'Error',        'timeout expired',                /firewall/],
    ['Redis',    'WRONGPASS',    'WRONGPASS invalid',              /password in REDIS_URL/],
    ['Redis',    'NOAUTH',       'NOAUTH required',                /password in REDIS_URL/],
    ['Redis',    'ENOTFOUND',    'getaddrinfo ENOTFOUND redis',    /host name/],
    ['Redis',    'ECONNREFUSED', 'connect ECONNREFUSED',           /Start Redis/],
    ['Redis',    'Error',        'no answer',                      /redis-cli ping/],
  ] as const;
  for (const [name, code, message, advice] of rows) {
    it(`to ${name} with ${code} (${message}) gets its own advice`, () => {
      const finding = connectionFinding(name, 'db.example:5432/app', { code, message });
      expect(finding.result).to.equal('failed');
      expect(finding.detail).to.equal(`cannot use db.example:5432/app: ${message}`);
      expect(finding.advice).to.match(advice);
    });
  }

  it('without a message is named by its code', () => {
    expect(connectionFinding('Redis', 'redis:6379', { code: 'ECONNRESET', message: '' }).detail).to.equal(
      'cannot use redis:6379: ECONNRESET',
    );
  });

  it('because a pooler refuses the settings of the session gets the advice about a pooler', () => {
    const fault = { code: '08P01', message: 'unsupported startup parameter: options' };
    expect(isRefusedByPooler(fault)).to.equal(true);
    expect(connectionFinding('Postgres', 'db', fault).advice).to.equal(POOLER_ADVICE);
  });
});
