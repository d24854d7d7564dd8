import { expect } from 'chai';
import { createClient } from 'redis';
import { dumpHas, dumpOf } from '../../support/dumps/dump.js';
import { batchOf } from '../../support/live/batches.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey, ids, page, problem, publishAll } from '../../support/service/api-calls.js';
import { Client, type Reply, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** In no other text that the service stores. */
const WORD = 'zyzzyva';
const ID = 'ne_purged';

type History = {
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly revision: number;
    readonly item: { readonly news_event: { readonly headline: string } } | null;
  }[];
};

/** D62: what an operator purges is nowhere any more. */
describe('A purge, with two instances on Postgres and Redis,', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let database: string;
  let service: Service;
  let client: Client;
  let key: string;
  /** The positions before the item, with its first version, and with its second one. */
  const positions: string[] = [];
  before(async () => {
    redis = await startTestRedis();
    database = await freshDatabase(serverUrl());
    service = await startService({ DATABASE_URL: database, REDIS_URL: redis.url }, 2);
    client = await Client.of(service);
    ({ key } = await aKey(client));
    await publishAll(client, [titled('ne_other', 'Fed holds')]);
    positions.push(await position());
    for (const headline of [`Fed cuts ${WORD}`, `Fed cuts ${WORD} again`]) {
      await publishAll(client, [titled(ID, headline)]);
      positions.push(await position());
    }
  });
  after(async () => {
    await service.stop();
    await redis.stop();
  });

  const titled = (id: string, headline: string) => {
    const item = publication({ id });
    return { ...item, news_event: { ...item.news_event, headline } };
  };
  const position = async () => String((await client.news(key, '?limit=1')).headers['feed-position']);
  const headers = () => ({ 'X-API-Key': key });
  /** What each instance answers to a request. */
  const answers = (path: string): Promise<readonly Reply[]> =>
    Promise.all(service.instances.map(({ url }) => send(`${url}${path}`, { headers: headers() })));
  const pagesWith = async (query: string) => (await answers(`/pm/v2/news${query}`)).map(ids);
  const purge = (id: string, order: object, token = service.tokens.operator, value = 'true') => {
    const body = JSON.stringify(order);
    const own = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
    const headers = { Authorization: `Bearer ${token}`, ...own };
    return client.internal(`/internal/v1/news/${id}?purge=${value}`, { method: 'DELETE', headers, body });
  };
  /** Without the request log, which keeps the words that customers have asked for themselves (D74). */
  const stored = async () => `${await dumpOf(database, ['request_log'])}${await redisDump(redis.url)}`;

  it('needs the operator token, a reason, an id that is known, and `purge=true`', async () => {
    const reason = 'a test';
    const refused = async (reply: Promise<Reply>) => [(await reply).status, problem(await reply).code];
    expect(await refused(purge(ID, { reason }, service.tokens.publisher))).to.deep.equal([403, 'forbidden']);
    expect(await refused(purge(ID, { reason }, 'nonsense'))).to.deep.equal([401, 'unauthorized']);
    expect(await refused(purge(ID, {}))).to.deep.equal([400, 'invalid_body']);
    expect(await refused(purge(ID, { reason: ' ' }))).to.deep.equal([400, 'invalid_body']);
    expect(await refused(purge('ne_nobody', { reason }))).to.deep.equal([404, 'not_found']);
    const mistyped = purge(ID, { reason }, service.tokens.publisher, 'yes');
    expect(await refused(mistyped)).to.deep.equal([400, 'invalid_parameter']);
    expect(await pagesWith('?limit=1')).to.deep.equal([[ID], [ID]]);
  });

  it('leaves the text of no version on any page, stream or history of any instance', async () => {
    for (const { url } of service.instances)
      expect(JSON.stringify(await batchOf(url, key, `?after=${positions[0]}`))).to.include(WORD);
    expect(await pagesWith(`?q=${WORD}`)).to.deep.equal([[ID], [ID]]);
    const then = await answers(`/pm/v2/news?limit=1&as_of=${positions[2]}`);
    expect(dumpHas(await stored(), WORD)).to.equal(true);

    expect((await purge(ID, { reason: 'the subject has asked for it' })).status).to.equal(204);

    const paths = [
      'news',
      ...positions.map((at) => `news?as_of=${at}`),
      `news?q=${WORD}`,
      `news?news_id=${ID}`,
    ];
    for (const path of [...paths, 'history', `history?q=${WORD}`, `history?news_id=${ID}`])
      for (const { status, text } of await answers(`/pm/v2/${path}`))
        expect([status, text.includes(WORD)], path).to.deep.equal([200, false]);
    for (const { url } of service.instances)
      for (const after of positions) {
        const { messages } = await batchOf(url, key, `?after=${after}`);
        expect(JSON.stringify(messages)).not.to.include(WORD);
        expect(messages.filter(({ type }) => type === 'retraction').map(({ id }) => id)).to.deep.equal([ID]);
      }
    const now = await answers(`/pm/v2/news?limit=1&as_of=${positions[2]}`);
    const cursors = (replies: readonly Reply[]) => replies.map((reply) => page(reply).next_cursor);
    expect([now.map(ids), cursors(now)]).to.deep.equal([[[], []], cursors(then)]);
  });

  it('keeps the changes in the history, and every other item', async () => {
    for (const { json } of await answers('/pm/v2/history'))
      expect(
        (json as History).changes.map(({ kind, id, revision, item }) => [
          kind,
          id,
          revision,
          item?.news_event.headline,
        ]),
      ).to.deep.equal([
        ['published', 'ne_other', 1, 'Fed holds'],
        ['published', ID, 1, undefined],
        ['replaced', ID, 2, undefined],
        ['purged', ID, 3, undefined],
      ]);
    for (const query of ['', '?q=fed', '?q=holds'])
      expect(await pagesWith(query)).to.deep.equal([['ne_other'], ['ne_other']]);
  });

  it('leaves the text neither in Postgres nor in Redis', async () => {
    const dump = await stored();
    expect(dumpHas(dump, WORD)).to.equal(false);
    expect(dumpHas(dump, 'Fed holds')).to.equal(true);
    expect(dumpHas(dump, 'the subject has asked for it')).to.equal(true);
  });

  it('is 204 once more, without a change, and is in the log without its reason', async () => {
    const before = await position();
    expect((await purge(ID, { reason: 'once more' })).status).to.equal(204);
    expect(await position()).to.equal(before);
    const logged = client.outputs().filter((line) => line.includes('an item was purged'));
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include(ID);
    expect(client.outputs().join('')).not.to.include('the subject has asked');
  });
});

/** The values of all keys, in any of the types that the service uses. */
async function redisDump(url: string): Promise<string> {
  const redis = createClient({ url });
  await redis.connect();
  try {
    // Without it, long values would be compressed.
    await redis.configSet('rdbcompression', 'no');
    const keys = await redis.keys('*');
    const values = await Promise.all(keys.map((name) => redis.dump(name)));
    return JSON.stringify([keys, values]);
  } finally {
    redis.destroy();
  }
}
