import { expect } from 'chai';
import {
  stripeEvent,
  stripeInvoice,
  stripeSignatureHeader,
  stripeSubscription,
} from '../../support/objects/stripe-objects.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { advance, type KeyView, unique } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import {
  launchInstance,
  type Service,
  serviceOf,
  WEBHOOK_SECRET,
} from '../../support/service/running-service.js';

/** The bounds of D39, with and without messages between two instances, and how many times each change is measured. */
const CASES = [
  { name: 'that exchange messages', redis: [redisUrl, redisUrl], most: 1_000, rounds: 10 },
  // One sends its messages through Redis, the other through Postgres, and neither hears the other.
  { name: 'none of whose messages arrive', redis: [redisUrl, () => ''], most: 1_500, rounds: 5 },
] as const;

for (const { name, redis, most, rounds } of CASES) {
  describe(`Two instances ${name}`, function () {
    this.timeout(60_000);
    let service: Service;
    let client: Client;
    before(async () => {
      const url = await freshDatabase(serverUrl());
      const instances = redis.map((of) => launchInstance({ DATABASE_URL: url, REDIS_URL: of() }).listening);
      service = serviceOf(...(await Promise.all(instances)));
      // Of the first instance only: a client of both waits until every message has arrived.
      client = await Client.of(serviceOf(one(0)));
    });
    after(() => service.stop());

    const one = (n: 0 | 1) => service.instances[n] ?? expect.fail('there are two instances');
    const operate = (path: string, body: object) =>
      send(`${one(0).internalUrl}/internal/v1${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.tokens.operator}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const status = async (n: 0 | 1, key: string) =>
      (await send(`${one(n).url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } })).status;

    /** Milliseconds from the answer to a change on one instance until the other one applies it. The first one has then. */
    async function until(expected: number, key: string, change: () => Promise<{ readonly status: number }>) {
      expect((await change()).status).to.equal(200);
      const at = performance.now();
      expect(await status(0, key), 'on the instance that made the change').to.equal(expected);
      // The pause keeps the polling below the rate limit of the key.
      while ((await status(1, key)) !== expected) await new Promise((done) => setTimeout(done, 5));
      return Math.round(performance.now() - at);
    }

    /** Prints the slowest of each kind of change, and compares it with the bound. */
    function judge(rows: readonly Readonly<Record<string, number>>[]): void {
      const slowest: Record<string, number> = {};
      for (const row of rows)
        for (const [what, millis] of Object.entries(row))
          slowest[what] = Math.max(slowest[what] ?? 0, millis);
      console.log(`      slowest of ${rows.length}: ${JSON.stringify(slowest)} ms`);
      for (const millis of Object.values(slowest)) expect(millis).to.be.at.most(most);
    }

    async function newKey(): Promise<KeyView> {
      const opened = await operate('/accounts', { email: `${unique()}@example.org`, plan: 'pro' });
      const { account_id } = JSON.parse(opened.text) as { readonly account_id: string };
      return JSON.parse((await operate(`/accounts/${account_id}/keys`, {})).text) as KeyView;
    }

    it(`apply holds, releases and revocations within ${most} ms (D39)`, async () => {
      const rows: Record<string, number>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const { key, key_id } = await newKey();
        // Used on both first, which then have copies.
        expect([await status(0, key), await status(1, key)]).to.deep.equal([200, 200]);
        const change = (verb: string, body: object) => () => operate(`/keys/${key_id}/${verb}`, body);
        const hold = await until(402, key, change('hold', { reason: 'test' }));
        const release = await until(200, key, change('release', { reason: 'test' }));
        const revocation = await until(401, key, change('revoke', { cause: 'manual' }));
        rows.push({ hold, release, revocation });
      }
      judge(rows);
    });

    it(`apply payment failures and payments within ${most} ms (D39)`, async () => {
      const delivered = async (type: string, object: object) => {
        const body = JSON.stringify(stripeEvent(type, object, await seconds(client)));
        const header = stripeSignatureHeader(body, WEBHOOK_SECRET, await seconds(client));
        return send(`${one(0).url}/webhooks/stripe`, {
          method: 'POST',
          headers: { 'Stripe-Signature': header },
          body,
        });
      };
      const rows: Record<string, number>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const { key, customer, view } = await aCustomer(client);
        const subscription = `sub_${unique()}`;
        const created = await seconds(client);
        await delivered(
          'customer.subscription.created',
          stripeSubscription({ id: subscription, customer, created }),
        );
        expect((await view()).subscription.state).to.equal('active');
        expect([await status(0, key.key), await status(1, key.key)]).to.deep.equal([200, 200]);
        const invoice = stripeInvoice({ customer, subscription, attempts: 5 });
        const failure = await until(402, key.key, () => delivered('invoice.payment_failed', invoice));
        await advance(client, 1);
        const payment = await until(200, key.key, () => delivered('invoice.paid', invoice));
        rows.push({ failure, payment });
      }
      judge(rows);
    });
  });
}
