import { expect } from 'chai';
import {
  account,
  advance,
  aKey,
  issue,
  startOfMinute as minuteStart,
  problem,
  type Target,
} from '../../support/service/target.js';

/** D33 and D34: limits belong to the subscription, and are exact. */
export function limitsSuite({ client }: Target): void {
  describe('the limits', () => {
    const remaining = async (key: string, query = '?limit=1') =>
      Number((await client().news(key, query)).headers['x-ratelimit-remaining']);

    const startOfMinute = () => minuteStart(client());

    it('let exactly 60 of 200 requests at once through on Free, and say when to come back (D34)', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute();
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
      await startOfMinute();
      const left = [];
      for (const { key } of keys) left.push(await remaining(key));
      expect(left).to.deep.equal([2_999, 2_998, 2_997]);
    });

    it('count a 400 and a HEAD, and nothing that did not reach the feed', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute();
      expect(await remaining(key)).to.equal(59);
      await client().ask('/pm/v2/news', { method: 'OPTIONS' });
      await client().ask('/pm/v2/news', { method: 'POST', headers: { 'X-API-Key': key } });
      await client().ask('/nowhere', { headers: { 'X-API-Key': key } });
      await client().ask(`/pm/v2/news?${'x'.repeat(4_097)}`, { headers: { 'X-API-Key': key } });
      expect(await remaining(key, '?limit=0')).to.equal(58);
      await client().ask('/pm/v2/news?limit=1', { method: 'HEAD', headers: { 'X-API-Key': key } });
      expect(await remaining(key)).to.equal(56);
    });

    it('show the subscription’s counters beside a 402, and take nothing for it', async () => {
      const key = await aKey(client(), 'free');
      await startOfMinute();
      await remaining(key.key);
      await client().operate('POST', `/internal/v1/accounts/${key.account}/hold`, { reason: 'x' });
      for (const _ of [1, 2]) {
        const held = await client().news(key.key);
        expect([held.status, held.headers['x-ratelimit-remaining']]).to.deep.equal([402, '59']);
      }
    });
  });
}
