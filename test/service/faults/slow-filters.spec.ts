import { expect } from 'chai';
import pg from 'pg';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, ids, page, problem, publishAll, ready } from '../../support/service/api-calls.js';
import { Client, type Reply } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** All items pass each of them. */
const FILTERS = [
  'category=geopolitics',
  'source_tier=t1',
  'relevance=high',
  'q=talks',
  'q=resume&relevance=high',
];
/** Many more readers than connections, so that a read that waits in their queue has no answer before its deadline. */
const READERS = 80;
const ROUNDS = 5;
const FEED = Array.from({ length: 9 }, (_, n) => `ne_${n}`);
const NEWEST_FIRST = FEED.toReversed();

/** D57: older pages with a filter are read over connections of their own. */
describe('Pages with filters, while Postgres does not finish their statements,', function () {
  this.timeout(60_000);
  let url: string;
  let service: Service;
  let client: Client;
  let keys: readonly string[];
  let filterKey: string;
  let release: () => Promise<void> = async () => {};
  before(async () => {
    url = await freshDatabase(serverUrl());
    service = await startService({
      DATABASE_URL: url,
      REDIS_URL: redisUrl(),
      HOT_ITEMS: '3',
      RATE_LIMIT_PRO_MINUTE: '1000000',
    });
    client = await Client.of(service);
    await publishAll(
      client,
      FEED.map((id) => publication({ id })),
    );
    keys = await Promise.all(Array.from({ length: 2 * ROUNDS }, async () => (await aKey(client)).key));
    filterKey = (await aKey(client)).key;
  });
  after(async () => {
    await release();
    await service.stop();
  });

  const filtered = (n: number) => client.news(filterKey, `?limit=50&${FILTERS[n % FILTERS.length]}`);

  /** Statements that read terms wait for this lock; other reads of the feed do not. */
  async function hold() {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin; lock table term, item_terms, item_facet in access exclusive mode');
    const waiting =
      'select from pg_locks join pg_class on pg_class.oid = relation where relname = $1 and not granted';
    release = async () => {
      release = async () => {};
      await holder.end();
    };
    return { isWaitedFor: async () => (await holder.query(waiting, ['term'])).rowCount !== 0 };
  }

  /** Reads two pages without a filter with each of some unused keys, which are read from Postgres, like the second page. */
  async function readOthers(from: number) {
    for (const key of keys.slice(from, from + ROUNDS)) {
      const first = await client.news(key, '?limit=3');
      const below = await client.news(key, `?limit=50&cursor=${page(first).next_cursor}`);
      expect([first.status, below.status]).to.deep.equal([200, 200]);
      expect([...ids(first), ...ids(below)]).to.deep.equal(NEWEST_FIRST);
    }
  }

  it('delay no other read, are refused with 503 and Retry-After, and are served afterwards', async () => {
    const { isWaitedFor } = await hold();
    const refused: Reply[] = [];
    const served: Reply[] = [];
    const reader = async (n: number) => {
      let reply = await filtered(n);
      for (; reply.status !== 200; reply = await filtered(n)) refused.push(reply);
      served.push(reply);
    };
    const readers = Promise.all(Array.from({ length: READERS }, (_, n) => reader(n)));
    // Without this, a failure below would be reported as the end of these reads.
    readers.catch(() => {});
    await until(true, isWaitedFor);
    await readOthers(0);
    await until(true, () => refused.length >= READERS);
    // Their timeouts are no evidence that Postgres is unavailable.
    await readOthers(ROUNDS);
    expect(served).to.deep.equal([]);
    expect(await ready(client)).to.deep.equal([200, 'ready']);
    await release();
    await readers;
    const answers = refused.map((reply) =>
      [reply.status, problem(reply).code, reply.headers['retry-after']].join(),
    );
    expect([...new Set(answers)]).to.deep.equal(['503,unavailable,1']);
    expect([...new Set(served.map((reply) => ids(reply).join()))]).to.deep.equal([NEWEST_FIRST.join()]);
  });
});
