import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { LOCAL_RECEIVERS } from '../../support/destinations/composed-destinations.js';
import { storeWebhook } from '../../support/destinations/stored-webhook.js';
import { WebhookReceiver } from '../../support/destinations/webhook-receiver.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { freshSchema, redisUrl, type Schema } from '../../support/servers/stores.js';
import { account, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Instance, killed, launchInstance, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const RECEIVERS = 200;
const ROUNDS = process.env['DEEP'] === '1' ? 12 : 3;
/** Items that are published and replaced again and again. */
const IDS = ['a', 'b', 'c', 'd', 'e'];

describe('Deliveries while instances are killed', () => {
  let schema: Schema;
  let instances: Instance[];
  let receivers: readonly WebhookReceiver[];
  const start = () =>
    launchInstance({ ...LOCAL_RECEIVERS, DATABASE_URL: schema.url, REDIS_URL: redisUrl() }).listening;
  before(async () => {
    schema = await freshSchema();
    instances = [await start(), await start()];
    receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => new WebhookReceiver().start()));
  });
  after(async () => {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
    await serviceOf(...instances).stop();
    await schema.close();
  });

  it('reach every receiver, in the order of the log but for whole repeats', async () => {
    const client = () => Client.of(serviceOf(...instances));
    const owner = (await account(await client())) as AccountId;
    const db = schema.connect(1);
    for (const receiver of receivers) await storeWebhook(db, owner, receiver.url);
    let revision = 0;
    const publishNext = async (id: string) => {
      revision += 1;
      const sent = publication({ id });
      const news_event = { ...sent.news_event, headline: `revision ${revision}` };
      await publishAll(await client(), [timedNow({ ...sent, news_event })]);
      return revision;
    };
    const newest = new Map<string, number>();
    for (let i = 0; i < ROUNDS; i += 1) {
      for (const id of IDS) newest.set(id, await publishNext(id));
      const [victim = expect.fail(), ...others] = instances;
      // The other one acquires the lease within 7 s; meanwhile the feed goes on.
      await killed(victim);
      instances = others;
      for (const id of IDS) newest.set(id, await publishNext(id));
      instances = [...others, await start()];
      await pause(500);
    }
    const held = (receiver: WebhookReceiver) => revisionsOf(receiver);
    await until(true, () =>
      receivers.every((receiver) => [...newest].every(([id, wanted]) => held(receiver).get(id) === wanted)),
    );
    for (const { received } of receivers) {
      const first = new Map<string, string>();
      for (const { headers, body } of received) {
        const id = String(headers['webhook-id']);
        const { position } = JSON.parse(body) as { readonly position: string };
        expect(first.get(id) ?? position).to.equal(position);
        first.set(id, position);
      }
    }
  }).timeout(180_000);
});

/** What a receiver that leaves out deliveries that it has holds of each item. An older version never replaces a newer one. */
function revisionsOf({ received }: WebhookReceiver): ReadonlyMap<string, number> {
  const [seen, held] = [new Set<string>(), new Map<string, number>()];
  for (const { headers, body } of received) {
    const delivery = String(headers['webhook-id']);
    if (seen.has(delivery)) continue;
    seen.add(delivery);
    const { messages } = JSON.parse(body) as {
      readonly messages: readonly {
        readonly item: { readonly news_event: { readonly id: string; readonly headline: string } };
      }[];
    };
    for (const { item } of messages) {
      const { id, headline } = item.news_event;
      const revision = Number(headline.replace('revision ', ''));
      if (revision < (held.get(id) ?? 0)) throw new Error(`${id} went back to ${headline}`);
      held.set(id, revision);
    }
  }
  return held;
}
