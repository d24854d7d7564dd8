import { expect } from 'chai';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, keyNow, problem, startOfMinute } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Low limits, so that a test reaches them; `domain/limits/abuse.ts` has the rules and their defaults. */
const SETTINGS = {
  TRUSTED_PROXY_HOPS: '1',
  ABUSE_NETWORKS: '20',
  ABUSE_REFUSED_MINUTES: '1',
  ABUSE_REFUSED_LEAST: '100',
  RATE_LIMIT_FREE_MINUTE: '10',
};

function abuseSuite(name: string, start: () => Promise<Service>): void {
  describe(`Abuse (contract section 3.1), ${name}`, function () {
    this.timeout(30_000);
    let service: Service;
    let client: Client;
    before(async () => {
      service = await start();
      client = await Client.of(service);
    });
    after(() => service.stop());

    const status = async (key: string, address: string) =>
      (await client.news(key, '?limit=1', { 'X-Forwarded-For': address })).status;
    const from = async (key: string, first: number, last: number) => {
      for (let n = first; n < last; n += 1)
        expect(await status(key, `10.0.${n}.7`)).to.be.oneOf([200, 402, 429]);
    };
    /** Makes every instance count the abuse signals so far. */
    const counted = async () => {
      for (const { internalUrl } of service.instances) {
        const reply = await send(`${internalUrl}/internal/v1/test-clock`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${service.tokens.operator}`, 'Content-Type': 'application/json' },
          body: '{"advance_seconds":0}',
        });
        expect(reply.status).to.equal(200);
      }
      await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: 0 });
    };
    const release = (account: string) =>
      client.operate('POST', `/internal/v1/accounts/${account}/release`, {
        cause: 'abuse',
        reason: 'ticket 3',
      });

    it('suspends a key used from too many networks on every instance, until an operator releases it', async () => {
      const { key, key_id, account } = await aKey(client);
      await from(key, 0, 20);
      for (let n = 0; n < 20; n += 1) await status(key, `10.0.3.${n}`);
      await counted();
      expect(await status(key, '10.0.1.1')).to.equal(200);
      await from(key, 20, 24);
      await counted();
      for (const _ of [1, 2, 3]) {
        const refused = await client.news(key, '?limit=1');
        expect([refused.status, problem(refused).causes]).to.deep.equal([402, ['abuse']]);
      }
      const flag = (await keyNow(client, key_id)).audit.at(-1);
      expect([flag?.event, flag?.actor, flag?.cause, flag?.reason]).to.deep.equal([
        'abuse_detected',
        'service',
        'abuse',
        'more than 20 client networks with one key within 10 minutes',
      ]);
      expect((await release(account)).status).to.equal(200);
      expect(await status(key, '10.0.1.1')).to.equal(200);
      await counted();
      expect(await status(key, '10.0.1.1')).to.equal(200);
    });

    it('counts all IPv6 addresses of one /48 as one network', async () => {
      const { key } = await aKey(client);
      for (let n = 0; n < 40; n += 1) await status(key, `2001:db8:1:${n}::1`);
      await counted();
      expect(await status(key, '10.0.0.1')).to.equal(200);
    });

    it('suspends a key that keeps far exceeding its limit, and not one that exceeds it briefly', async () => {
      const { key } = await aKey(client, 'free');
      await startOfMinute(client);
      const hammer = async (times: number) => {
        const replies = await Promise.all(Array.from({ length: times }, () => status(key, '10.0.0.1')));
        return replies.filter((reply) => reply === 429).length;
      };
      expect(await hammer(100)).to.equal(90);
      await counted();
      expect(await status(key, '10.0.0.1')).to.equal(429);
      await hammer(20);
      await counted();
      expect(await status(key, '10.0.0.1')).to.equal(402);
    });

    it('is not detected for an account whose detection an operator has turned off', async () => {
      const { key, account } = await aKey(client);
      const off = await client.operate('POST', `/internal/v1/accounts/${account}/abuse-detection`, {
        enabled: false,
        reason: 'a fleet',
      });
      expect(
        (off.json as { subscription: { abuse_detection: boolean } }).subscription.abuse_detection,
      ).to.equal(false);
      await from(key, 0, 40);
      await counted();
      expect(await status(key, '10.0.1.1')).to.equal(200);
    });
  });
}

abuseSuite('in memory', () => startService(SETTINGS));
abuseSuite('two instances on Postgres and Redis', async () =>
  startService({ ...SETTINGS, DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() }, 2),
);
