import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createClient } from 'redis';
import { PostgresInvalidations } from '../../../src/adapters/postgres/postgres-invalidations.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { freshSchema } from '../../support/servers/stores.js';
import { actOn, advance, aKey, ids, publishAll, unique } from '../../support/service/api-calls.js';
import { seconds } from '../../support/service/processor-customer.js';
import { until } from '../../support/until.js';
import { moduleBefore } from '../../support/versions/version-before.js';
import { bothWays, freshAddress, type RunningVersions, type Version } from './two-versions.js';

const QUARTER_HOUR = 900;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** How many messages of other instances a version has heard. */
async function heardBy({ client }: Version): Promise<number> {
  const { text } = await client.internal('/metrics');
  return Number(/^oddswire_hints_total\{what="heard"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

export function coordinationSuite(versions: RunningVersions): void {
  describe('between instances:', () => {
    bothWays(versions, 'the test clock and the list of instances', async (writer, reader) => {
      const moved = await advance(writer.client, 7);
      expect((await reader.client.time()) >= moved).to.equal(true);
      const count = async ({ client }: Version) =>
        /"words":"2 /.test((await client.internal('/readyz')).text);
      await until([true, true], () => Promise.all([count(writer), count(reader)]));
    });
    feed(versions);
    checkpoints(versions);
    redisMessages(versions);
    postgresMessages();
  });
}

function feed(versions: RunningVersions): void {
  bothWays(versions, 'items, their sub-markets and their retraction', async (writer, reader) => {
    const { key } = await aKey(writer.client);
    const [id, other, sub] = [unique(), unique(), unique()];
    const related_markets = [market(`m-${sub}`, subMarket(sub), subMarket(`${sub}-2`))];
    await publishAll(writer.client, [publication({ id, related_markets }), publication({ id: other })]);
    const found = async (query: string) => ids(await reader.client.news(key, query, freshAddress()));
    await until([other, id], () => found('?limit=2'));
    expect(await found(`?market_id=${sub}`)).to.deep.equal([id]);
    expect(await found(`?news_id=${id}`)).to.deep.equal([id]);
    await reader.client.retract(other);
    const next = async () => ids(await writer.client.news(key, '?limit=1', freshAddress()))[0];
    await until(id, next);
  });
}

function checkpoints(versions: RunningVersions): void {
  bothWays(versions, 'how far a background job came', async (writer, reader, { stripe }) => {
    const latest = (await seconds(writer.client)) + QUARTER_HOUR;
    const object = stripeSubscription({ customer: `cus_${unique()}`, status: 'paused' });
    stripe.events.push(stripeEvent('customer.subscription.updated', object, latest));
    const asked = stripe.asked.length;
    const lists = () => stripe.asked.slice(asked).filter((path) => path.startsWith('/v1/events'));
    await advance(writer.client, QUARTER_HOUR + 1);
    expect(lists().length).to.be.at.least(1);
    const before = lists().length;
    // The reader takes the lease when it is due, and not before.
    await advance(reader.client, QUARTER_HOUR - 60);
    expect(lists().length).to.equal(before);
    await advance(reader.client, 61);
    const since = lists().map((path) => Number(new URL(path, stripe.url).searchParams.get('created[gte]')));
    // An event may be listed an hour late.
    expect(since.at(-1)).to.equal(latest - 3_600);
  });
}

function redisMessages(versions: RunningVersions): void {
  bothWays(versions, 'messages in Redis', async (writer, reader, { redisUrl }) => {
    const listener = createClient({ url: redisUrl });
    listener.on('error', () => {}); // The server is stopped at the end.
    await listener.connect();
    const messages: unknown[] = [];
    await listener.subscribe('oddswire:signals', (text) => void messages.push(JSON.parse(text)));
    const { key, key_id } = await aKey(writer.client);
    await until(200, async () => (await reader.client.news(key, '?limit=1', freshAddress())).status);
    const heard = await heardBy(reader);
    messages.length = 0;
    await actOn(writer.client, key_id, 'hold', { reason: 'a claim' });
    await publishAll(writer.client, [publication({ id: unique() })]);
    await until(true, async () => messages.length >= 2);
    const from = (messages[0] as { readonly from: string }).from;
    expect(from).to.match(/^[\da-f-]{36}$/);
    expect(messages).to.deep.equal([
      { from, signal: { changed: 'account', keys: [sha256(key)] } },
      { from, signal: { changed: 'feed' } },
    ]);
    await until(heard + 2, () => heardBy(reader));
    await until(402, async () => (await reader.client.news(key, '?limit=1', freshAddress())).status);
    listener.destroy();
  });
}

/** What either class has; the names are those of this version. */
type PostgresMessages = Pick<PostgresInvalidations, 'start' | 'send' | 'listen' | 'close'>;
type MessagesBefore = {
  readonly PostgresSignals: new (
    ...made: ConstructorParameters<typeof PostgresInvalidations>
  ) => {
    start(): Promise<void>;
    send(message: object): Promise<void>;
    listen(listener: (message: object) => void): () => void;
    close(): Promise<void>;
  };
};

/** Without Redis. The classes of both versions run in this process: two more services would take seconds. */
function postgresMessages(): void {
  it('messages in Postgres, both ways', async () => {
    const file = 'adapters/postgres/postgres-signals.js';
    const { PostgresSignals: InvalidationsBefore } = (await moduleBefore(file)) as MessagesBefore;
    const schema = await freshSchema();
    const before = new InvalidationsBefore(schema.connect(), schema.url);
    const present: PostgresMessages = new PostgresInvalidations(schema.connect(), schema.url);
    await Promise.all([before.start(), present.start()]);
    const heard: { readonly before: unknown[]; readonly present: unknown[] } = { before: [], present: [] };
    before.listen((message) => void heard.before.push(message));
    present.listen((message) => void heard.present.push(message));
    const hash = sha256('a key') as KeyHash;
    const account = { changed: 'account', keys: [hash] } as const;
    await before.send(account);
    await before.send({ changed: 'feed' });
    await present.send(account);
    await present.send({ changed: 'feed' });
    await until([4, 4], async () => [heard.before.length, heard.present.length]);
    for (const messages of [heard.before, heard.present]) {
      expect(messages).to.have.deep.members([account, { changed: 'feed' }, account, { changed: 'feed' }]);
    }
    await Promise.all([before.close(), present.close()]);
    await schema.close();
  });
}
