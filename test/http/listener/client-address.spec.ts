import { expect } from 'chai';
import {
  addressGroup,
  clientAddress,
  clientGroups,
} from '../../../src/adapters/http/listener/client-address.js';
import { ask, type Composed, composed, keyHolder, requestNews } from '../../support/service/composed.js';

describe('The address of a client', () => {
  const cases: readonly (readonly [hops: number, forwarded: readonly string[], address: string])[] = [
    [0, [], '10.0.0.9'],
    [0, ['203.0.113.1'], '10.0.0.9'],
    [1, [], '10.0.0.9'],
    [1, [''], '10.0.0.9'],
    [1, ['203.0.113.1'], '203.0.113.1'],
    [1, ['6.6.6.6, 203.0.113.1'], '203.0.113.1'],
    [1, ['6.6.6.6', '203.0.113.1'], '203.0.113.1'],
    [1, ['6.6.6.6,,203.0.113.1'], '203.0.113.1'],
    [2, ['203.0.113.1, 10.0.0.8'], '203.0.113.1'],
    [2, ['6.6.6.6, 7.7.7.7, 203.0.113.1, 10.0.0.8'], '203.0.113.1'],
    [2, ['203.0.113.1'], '10.0.0.9'],
    [1, ['  2001:db8::1 '], '2001:db8::1'],
  ];
  for (const [hops, forwarded, address] of cases) {
    it(`is ${address} with ${hops} trusted hops and X-Forwarded-For ${JSON.stringify(forwarded)} (T10)`, () => {
      expect(clientAddress('10.0.0.9', forwarded.join(', '), hops)).to.equal(address);
    });
  }
});

describe('The group of an address', () => {
  const cases = [
    ['203.0.113.1', '203.0.113.1'],
    ['::ffff:203.0.113.1', '203.0.113.1'],
    ['::ffff:cb00:7101', '203.0.113.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', 'unknown'],
    ['somebody', 'unknown'],
    ['203.0.113.256', 'unknown'],
    ['svc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'unknown'],
  ] as const;
  for (const [address, group] of cases) {
    it(`is ${group} for ${address || 'none'} (D33)`, () => {
      expect(addressGroup(address)).to.equal(group);
    });
  }
});

describe('The groups by which attempts to sign in are counted', () => {
  // biome-ignore format: a table is read by its columns
  const cases = [
    ['203.0.113.1',        '203.0.113.1',       '203.0.113.0/24'],
    ['203.0.113.255',      '203.0.113.255',     '203.0.113.0/24'],
    ['203.0.114.1',        '203.0.114.1',       '203.0.114.0/24'],
    ['::ffff:203.0.113.1', '203.0.113.1',       '203.0.113.0/24'],
    ['2001:db8:1:2::1',    '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1',    '2001:db8:1:3::/64', '2001:db8:1:3::/64'],
    ['somebody',           'unknown',           'unknown'],
  ] as const;
  for (const [from, address, subnet] of cases) {
    it(`are ${address} and ${subnet} for ${from}`, () => {
      expect(clientGroups(from)).to.deep.equal({ address, subnet });
    });
  }
});

describe('The limit on requests without a valid key, by address', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ TRUSTED_PROXY_HOPS: '1', ANONYMOUS_PER_MINUTE: '3' });
  });
  after(() => service.stop());

  const from = (forwarded: string) =>
    ask(`${service.url}/pm/v2/news`, { headers: { 'X-Forwarded-For': forwarded } });

  const remaining = async (forwarded: string) => (await from(forwarded)).headers['x-ratelimit-remaining'];

  it('counts the address that the last trusted proxy saw, and ignores entries further left (T10)', async () => {
    expect(await remaining('203.0.113.5')).to.equal('2');
    expect(await remaining('1.1.1.1, 203.0.113.5')).to.equal('1');
    expect(await remaining('2.2.2.2, 203.0.113.5')).to.equal('0');

    const refused = await from('3.3.3.3, 203.0.113.5');
    expect([refused.status, refused.json().code]).to.deep.equal([429, 'rate_limited']);
    expect(refused.json().violated_policies).to.deep.equal(['anonymous']);
    expect(refused.headers['retry-after']).to.equal('50');
    expect(await remaining('203.0.113.5, 203.0.113.6')).to.equal('2');
  });

  it('counts an IPv6 /64 as one client, and an IPv4-mapped address as the IPv4 address (D33)', async () => {
    expect(await remaining('2001:db8:7:7::1')).to.equal('2');
    expect(await remaining('2001:db8:7:7:1:2:3:4')).to.equal('1');
    expect(await remaining('2001:db8:7:8::1')).to.equal('2');
    expect(await remaining('203.0.113.7')).to.equal('2');
    expect(await remaining('::ffff:203.0.113.7')).to.equal('1');
  });

  it('ignores the port that some proxies add to an address (D33)', async () => {
    expect(await remaining('203.0.113.20:4711')).to.equal('2');
    expect(await remaining('203.0.113.20:4712')).to.equal('1');
    expect(await remaining('[2001:db8:9:9::1]:443')).to.equal('2');
    expect(await remaining('[2001:db8:9:9::2]')).to.equal('1');
  });

  it('does not affect valid keys from an address that has exceeded it (D33)', async () => {
    const { value } = await keyHolder(service);
    const headers = { 'X-Forwarded-For': '203.0.113.8' };
    for (let i = 0; i < 4; i += 1) await from('203.0.113.8');
    expect((await requestNews(service, 'svc_nobody', headers)).status).to.equal(429);
    expect((await requestNews(service, value, headers)).status).to.equal(200);
  });

  it('is stated, but not counted, on paths that need no key (D34)', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    for (const path of ['/nowhere', '/openapi.json', `/pm/v2/news?${'a'.repeat(5_000)}`]) {
      const answer = await ask(`${service.url}${path}`, { headers });
      expect(answer.headers['x-ratelimit-remaining'], path.slice(0, 20)).to.equal('3');
    }
    const options = await ask(`${service.url}/pm/v2/news`, { method: 'OPTIONS', headers });
    expect([options.status, options.headers['x-ratelimit-remaining']]).to.deep.equal([204, '3']);
  });

  it('ignores X-Forwarded-For if no proxy is trusted (T10)', async () => {
    const direct = await composed({ ANONYMOUS_PER_MINUTE: '3' });
    try {
      const seen = [];
      for (const forwarded of ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']) {
        seen.push(
          (await ask(`${direct.url}/pm/v2/news`, { headers: { 'X-Forwarded-For': forwarded } })).status,
        );
      }
      expect(seen).to.deep.equal([401, 401, 401, 429]);
    } finally {
      await direct.stop();
    }
  });
});
