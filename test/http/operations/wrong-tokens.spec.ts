import { expect } from 'chai';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { ask, bearer, type Composed, composed } from '../../support/service/composed.js';

const VALID = 'operator-token-of-the-tests';
const WRONG = 'a-wrong-token-of-some-length';
const QUOTA = 30;

describe('Wrong tokens of the internal listener', () => {
  let service: Composed;
  beforeEach(async () => {
    service = await composed({ TRUSTED_PROXY_HOPS: '1' });
  });
  afterEach(() => service.stop());

  const call = (token: string, address = '192.0.2.1', path = '/internal/v1/keys/none') =>
    ask(`${service.internalUrl}${path}`, { headers: { ...bearer(token), 'X-Forwarded-For': address } });
  const guess = async (times: number, address?: string) => {
    for (let i = 0; i < times; i += 1) expect((await call(`${WRONG}-${i}`, address)).status).to.equal(401);
  };
  const warnings = () => service.lines.filter(({ msg }) => msg.startsWith('received wrong tokens'));

  it('get 429 with Retry-After, after 30 from one address in 10 minutes', async () => {
    await guess(QUOTA);
    const answer = await call(WRONG);
    expect([answer.status, answer.json().code]).to.deep.equal([429, 'rate_limited']);
    expect(answer.json().violated_policies).to.deep.equal(['wrong_tokens']);
    // The clock of this test is at 12:00:10; windows are aligned to the Unix epoch.
    expect(answer.headers['retry-after']).to.equal('590');
    service.clock.at = plus(service.clock.at, 10 * MINUTE);
    await guess(1);
  });

  it('do not affect a valid token from the same address, nor wrong ones from another', async () => {
    await guess(QUOTA);
    expect((await call(WRONG)).status).to.equal(429);
    expect((await call(VALID)).status).to.equal(404);
    expect((await call('publisher-token-of-the-tests')).status).to.equal(403);
    await guess(1, '192.0.2.2');
  });

  it('are counted for a whole IPv6 /64, in which one client can have many addresses', async () => {
    for (let i = 0; i < QUOTA; i += 1) await guess(1, `2001:db8::${i}`);
    expect((await call(WRONG, '2001:db8::ffff')).status).to.equal(429);
  });

  it('do not include requests without a token, with a token of the other role, or on paths without tokens', async () => {
    const { internalUrl } = service;
    for (let i = 0; i < QUOTA + 1; i += 1) {
      expect((await ask(`${internalUrl}/internal/v1/keys/none`)).status).to.equal(401);
      expect((await call('publisher-token-of-the-tests')).status).to.equal(403);
      expect((await call(WRONG, '192.0.2.1', '/livez')).status).to.equal(200);
    }
    await guess(1);
  });

  it('log one warning for each address and minute, without the token', async () => {
    await guess(QUOTA);
    await call(WRONG);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.include({ level: 40, listener: 'internal', address: '192.0.2.1' });
    await call(WRONG, '192.0.2.2');
    expect(warnings()).to.have.length(2);
    service.clock.at = plus(service.clock.at, MINUTE);
    await call(WRONG);
    await call(WRONG);
    expect(warnings()).to.have.length(3);
    expect(JSON.stringify(service.lines)).not.to.include(WRONG);
  });
});
