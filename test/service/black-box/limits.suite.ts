import { expect } from 'chai';
import {
  account,
  advance,
  aKey,
  issue,
  problem,
  type ServiceUnderTest,
  startOfMinute,
} from '../../support/service/api-calls.js';

/** Contract section 8, D18, D33, D34: the exact limits of each plan, and the headers that report them. */
export function limitsSuite({ client }: ServiceUnderTest): void {
  describe('the limits', () => {
    const remaining = async (key: string, query = '?limit=1') =>
      Number((await client().news(key, query)).headers['x-ratelimit-remaining']);

    it('admit exactly 60 of 200 concurrent requests on Free; the others get `Retry-After` (D34)', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      const replies = await Promise.all(Array.from({ length: 200 }, () => client().news(key, '?limit=1')));
      expect(replies.filter(({ status }) => status === 200)).to.have.length(60);
      const refused = replies.filter(({ status }) => status === 429);
      expect(refused).to.have.length(140);
      for (const reply of refused) {
        expect(problem(reply).violated_policies).to.deep.equal(['minute']);
        const [, t] = /"minute";r=0;t=(\d+)/.exec(reply.headers['ratelimit'] ?? '') ?? [];
        expect(Number(reply.headers['retry-after'])).to.be.at.least(Number(t)).and.at.least(1);
      }
      await advance(client(), 60);
      expect((await client().news(key)).status).to.equal(200);
    });

    it('are shared by all keys of a subscription', async () => {
      const id = await account(client());
      const keys = [await issue(client(), id), await issue(client(), id), await issue(client(), id)];
      await startOfMinute(client());
      const left = [];
      for (const { key } of keys) left.push(await remaining(key));
      expect(left).to.deep.equal([2_999, 2_998, 2_997]);
    });

    it('count a 400 and a HEAD, and no request that does not reach the feed', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      expect(await remaining(key)).to.equal(59);
      await client().ask('/pm/v2/news', { method: 'OPTIONS' });
      await client().ask('/pm/v2/news', { method: 'POST', headers: { 'X-API-Key': key } });
      await client().ask('/nowhere', { headers: { 'X-API-Key': key } });
      await client().ask(`/pm/v2/news?${'x'.repeat(4_097)}`, { headers: { 'X-API-Key': key } });
      expect(await remaining(key, '?limit=0')).to.equal(58);
      await client().ask('/pm/v2/news?limit=1', { method: 'HEAD', headers: { 'X-API-Key': key } });
      expect(await remaining(key)).to.equal(56);
    });

    it('are shown with a 402, which takes no permit', async () => {
      const key = await aKey(client(), 'free');
      await startOfMinute(client());
      await remaining(key.key);
      await client().operate('POST', `/internal/v1/accounts/${key.account}/hold`, { reason: 'x' });
      for (const _ of [1, 2]) {
        const held = await client().news(key.key);
        expect([held.status, held.headers['x-ratelimit-remaining']]).to.deep.equal([402, '59']);
      }
    });
  });

  describe('a window', () => {
    for (const [plan, minute, day] of [
      ['free', 60, 5_000],
      ['builder', 600, 50_000],
      ['pro', 3_000, 1_000_000],
    ] as const) {
      it(`has ${minute} requests a minute and ${day} a day on ${plan} (D34)`, async () => {
        const { key } = await aKey(client(), plan);
        await startOfMinute(client());
        const { headers } = await client().news(key);
        expect(headers['ratelimit-policy']).to.equal(`"minute";q=${minute};w=60, "day";q=${day};w=86400`);
        expect(headers['ratelimit']).to.match(
          new RegExp(`^"minute";r=${minute - 1};t=\\d+, "day";r=${day - 1};t=\\d+$`),
        );
        expect(headers['x-ratelimit-limit']).to.equal(String(minute));
        expect(headers['x-ratelimit-remaining']).to.equal(String(minute - 1));
      });
    }

    it('is aligned to the clock, and its end is a Unix time in seconds (D33, D34)', async () => {
      const { key } = await aKey(client());
      await startOfMinute(client());
      const { headers } = await client().news(key);
      const reset = Number(headers['x-ratelimit-reset']);
      expect(reset % 60).to.equal(0);
      const now = Date.parse(await advance(client(), 0)) / 1_000;
      expect(reset)
        .to.be.greaterThan(now)
        .and.to.be.at.most(now + 60);
    });

    it('is shared by the five keys of a Pro subscription, and separate for each subscription (D34)', async () => {
      const id = await account(client());
      const keys = [];
      for (let i = 0; i < 5; i += 1) keys.push(await issue(client(), id));
      await startOfMinute(client());
      const replies = await Promise.all(keys.map(({ key }) => client().news(key, '?limit=1')));
      const left = replies.map(({ headers }) => headers['x-ratelimit-remaining']).toSorted();
      expect(left).to.deep.equal(['2995', '2996', '2997', '2998', '2999']);
      const stranger = await aKey(client());
      expect((await client().news(stranger.key)).headers['x-ratelimit-remaining']).to.equal('2999');
    });

    it('without permits left answers 429 also to bad parameters, conditional requests and HEAD (D18, D34)', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      const first = await client().news(key);
      await Promise.all(Array.from({ length: 59 }, () => client().news(key, '?limit=1')));
      const tag = { 'If-None-Match': first.headers['etag'] ?? '' };
      const asked = { method: 'HEAD', headers: { 'X-API-Key': key } };
      const refused = [
        await client().news(key, '?limit=0'),
        await client().news(key, '', tag),
        await client().ask('/pm/v2/news', asked),
      ];
      for (const { status, headers } of refused) {
        expect(status).to.equal(429);
        expect(headers['retry-after']).to.match(/^[1-9]\d*$/);
        expect(headers['cache-control']).to.equal('no-store');
        expect(headers['x-ratelimit-remaining']).to.equal('0');
      }
    });

    it('gets the permit of a 304 back, as often as the quota has permits (D34)', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      const tag = { 'If-None-Match': (await client().news(key)).headers['etag'] ?? '' };
      const statuses = [];
      for (let i = 0; i < 60; i += 1) statuses.push((await client().news(key, '', tag)).status);
      expect(new Set(statuses)).to.deep.equal(new Set([304]));
      expect((await client().news(key)).headers['x-ratelimit-remaining']).to.equal('58');
    });

    it('of the client address is reported to requests without a valid key or off the feed (D33, D34)', async () => {
      const { key } = await aKey(client());
      const asked = { headers: { 'X-API-Key': key } };
      const answers = [
        await client().ask('/pm/v2/news'),
        await client().ask('/nowhere', asked),
        await client().ask('/pm/v2/news', { ...asked, method: 'DELETE' }),
        await client().ask('/pm/v2/news', { ...asked, method: 'OPTIONS' }),
        await client().ask(`/pm/v2/news?${'x'.repeat(4_097)}`, asked),
        await client().ask('/openapi.json', asked),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 404, 405, 204, 414, 200]);
      for (const { headers } of answers)
        expect(headers['ratelimit-policy']).to.match(/^"anonymous";q=\d+;w=60$/);
    });

    it('names in a 429 only the policies whose permits are used up (D32)', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      await Promise.all(Array.from({ length: 60 }, () => client().news(key, '?limit=1')));
      const refused = problem(await client().news(key));
      expect([refused.code, refused.violated_policies]).to.deep.equal(['rate_limited', ['minute']]);
    });
  });
}
