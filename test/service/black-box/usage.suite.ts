import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import {
  advance,
  aKey,
  ndjson,
  problem,
  type ServiceUnderTest,
  startOfMinute,
  unique,
} from '../../support/service/api-calls.js';
import { send } from '../../support/service/client.js';
import { conformance, type OpenApi } from '../../support/service/conformance.js';

type Usage = {
  readonly key_id: string;
  readonly plan: string;
  readonly limits: readonly {
    readonly name: string;
    readonly quota: number;
    readonly used: number;
    readonly remaining: number;
    readonly resets_at: string;
  }[];
};
type Status = {
  readonly status: string;
  readonly feed: { readonly head: string | null; readonly age_seconds: number | null };
  readonly parts: readonly { readonly part: string; readonly state: string }[];
};

/** The routes for customers beside the feed: usage of a key, and status of the service. */
export function usageSuite({ client, service }: ServiceUnderTest): void {
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send(`${service().instances[0]?.url}${path}`, { headers });
  const usage = (key: string) => ask('/pm/v2/usage', { 'X-API-Key': key });

  describe('GET /pm/v2/usage', () => {
    it('returns plan and limits, and takes no permit (D33, D34)', async () => {
      const { key, key_id } = await aKey(client(), 'builder');
      await startOfMinute(client());
      for (let i = 0; i < 3; i += 1) expect((await client().news(key)).status).to.equal(200);
      const replies = [await usage(key), await usage(key)];
      for (const reply of replies) {
        expect(reply.status).to.equal(200);
        expect(reply.headers['cache-control']).to.equal('private, no-store');
        const { limits, ...others } = reply.json as Usage;
        expect(others).to.deep.equal({ key_id, plan: 'builder' });
        expect(
          limits.map(({ name, quota, used, remaining }) => [name, quota, used, remaining]),
        ).to.deep.equal([
          ['minute', 600, 3, 597],
          ['day', 50_000, 3, 49_997],
        ]);
        expect(reply.headers['x-ratelimit-remaining']).to.equal('597');
        expect(Date.parse(limits[0]?.resets_at ?? '') / 1_000).to.equal(
          Number(reply.headers['x-ratelimit-reset']),
        );
      }
      expect((await client().news(key)).headers['x-ratelimit-remaining']).to.equal('596');
    });

    it('answers 200 also when no permit is left', async () => {
      const { key } = await aKey(client(), 'free');
      await startOfMinute(client());
      const answers = await Promise.all(Array.from({ length: 62 }, () => client().news(key, '?limit=1')));
      expect(answers.filter(({ status }) => status === 429)).to.have.length(2);
      const reply = await usage(key);
      expect([reply.status, (reply.json as Usage).limits[0]?.remaining]).to.deep.equal([200, 0]);
    });

    it('refuses a missing key, an unknown key and a key on hold (contract section 5.5)', async () => {
      const { key, account } = await aKey(client());
      expect(problem(await ask('/pm/v2/usage')).code).to.equal('key_missing');
      expect(problem(await usage('svc_nobody')).code).to.equal('key_unknown');
      await client().operate('POST', `/internal/v1/accounts/${account}/hold`, { reason: 'a test' });
      expect((await usage(key)).status).to.equal(402);
    });
  });

  describe('GET /status', () => {
    it('returns, without a key, the age of the feed and the states, and no details for operators', async () => {
      const scoredAt = await advance(client(), 1);
      await client().publish(ndjson([publication({ id: `status-${unique()}`, scored_at: scoredAt })]));
      const { status, headers, json, text } = await ask('/status');
      const published = json as Status;
      expect([status, headers['cache-control'], published.status]).to.deep.equal([200, 'no-store', 'up']);
      expect(published.feed.head).to.be.a('string');
      expect(published.feed.age_seconds).to.be.at.least(0).and.at.most(600);
      expect(published.parts.map(({ part }) => part)).to.include('service');
      expect(published.parts.every(({ state }) => state === 'up')).to.equal(true);
      expect(text).not.to.match(/words|REDIS_URL|DATABASE_URL/);
    });

    it('conforms to /openapi.json, and so does the usage of a key', async () => {
      const holds = conformance((await client().ask('/openapi.json')).json as OpenApi);
      const { key } = await aKey(client());
      expect(holds('GET', '/status', await ask('/status'), true)).to.deep.equal([]);
      expect(holds('GET', '/pm/v2/usage', await usage(key), true)).to.deep.equal([]);
    });
  });
}
