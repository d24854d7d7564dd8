import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { LOCAL_RECEIVERS } from '../../support/destinations/composed-destinations.js';
import { storeWebhook } from '../../support/destinations/stored-webhook.js';
import { type Answering, WebhookReceiver } from '../../support/destinations/webhook-receiver.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { freshSchema, redisUrl, type Schema } from '../../support/servers/stores.js';
import { account, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const HEALTHY = 170;
/** Of each kind: refuses the connection, never answers, answers 500, cuts the connection. */
const DEAD_OF_A_KIND = 5;
const SLOW = 10;
const SLOW_MS = 1_500;
const PER_SECOND = 10;
const SECONDS = process.env['DEEP'] === '1' ? 60 : 4;

describe('Deliveries of two instances beside dead and slow receivers', () => {
  let schema: Schema;
  let service: Service;
  const receivers: WebhookReceiver[] = [];
  const started = async (answering: Answering = 204): Promise<WebhookReceiver> => {
    const receiver = await new WebhookReceiver().start();
    receiver.answering = answering;
    receivers.push(receiver);
    return receiver;
  };
  const many = (count: number, answering?: Answering) =>
    Promise.all(Array.from({ length: count }, () => started(answering)));
  before(async () => {
    schema = await freshSchema();
    const settings = { ...LOCAL_RECEIVERS, DATABASE_URL: schema.url, REDIS_URL: redisUrl() };
    const launched = [launchInstance(settings), launchInstance(settings)];
    service = serviceOf(...(await Promise.all(launched.map(({ listening }) => listening))));
  });
  after(async () => {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
    await service.stop();
    await schema.close();
  });

  it('reach 170 healthy ones with every item, once and in order', async () => {
    const client = await Client.of(service);
    const healthy = await many(HEALTHY);
    const slow = await many(SLOW);
    for (const receiver of slow) receiver.delayMs = SLOW_MS;
    const dead = [
      ...(await many(DEAD_OF_A_KIND, 'hang')),
      ...(await many(DEAD_OF_A_KIND, 'cut')),
      ...(await many(DEAD_OF_A_KIND, 500)),
    ].map(({ url }) => url);
    for (let i = 0; i < DEAD_OF_A_KIND; i += 1) dead.push(`http://127.0.0.1:${await reservedPort()}/hooks`);
    const owner = (await account(client)) as AccountId;
    const db = schema.connect(1);
    const alive = [...healthy, ...slow].map(({ url }) => url);
    for (const url of [...alive, ...dead]) await storeWebhook(db, owner, url);

    const publishedAt = new Map<string, number>();
    const begun = performance.now();
    for (let i = 0; i < SECONDS * PER_SECOND; i += 1) {
      await pause(Math.max(0, begun + (i * 1_000) / PER_SECOND - performance.now()));
      const id = `item-${i}`;
      publishedAt.set(id, performance.now());
      await publishAll(client, [timedNow(publication({ id }))]);
    }
    await until(true, () => healthy.every(({ itemIds }) => itemIds.length >= publishedAt.size));
    for (const { itemIds } of healthy) expect(itemIds).to.deep.equal([...publishedAt.keys()]);
    console.log(`      ${HEALTHY} healthy receivers: ${delays(healthy, publishedAt)}`);
    // Slow ones get several items in each delivery, and every item too.
    await until(true, () => slow.every(({ itemIds }) => itemIds.length >= publishedAt.size));
    for (const { itemIds } of slow) expect(itemIds).to.deep.equal([...publishedAt.keys()]);
  }).timeout(180_000);
});

/** From the request that publishes an item to the receipt of the delivery that has it. */
function delays(receivers: readonly WebhookReceiver[], publishedAt: ReadonlyMap<string, number>): string {
  const all = receivers.flatMap(({ received }) =>
    received.flatMap(({ at, body }) => {
      const { messages } = JSON.parse(body) as {
        readonly messages: readonly { readonly item?: { readonly news_event: { readonly id: string } } }[];
      };
      return messages.map(({ item }) => at - (publishedAt.get(item?.news_event.id ?? '') ?? at));
    }),
  );
  all.sort((one, other) => one - other);
  const quantile = (share: number) => Math.round(all[Math.floor(all.length * share)] ?? 0);
  return `from publish to receipt p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`;
}
