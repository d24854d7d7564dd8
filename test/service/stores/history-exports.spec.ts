import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { expect } from 'chai';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../support/client/faulty-proxy.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { redisUrl } from '../../support/servers/stores.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  begunExport,
  bytesOf,
  continuation,
  type Exported,
  openExport,
  readExport,
} from '../../support/service/export-reader.js';
import { type Instance, type Service, startService } from '../../support/service/running-service.js';

const ITEMS = 1_200;
/** More bytes in all than the buffers of a connection and the two blocks of an export. */
const LONG = 'Words of an item. '.repeat(900);
const CUTS = 8;

/** D61: a range that ends at a position has the same lines from every instance, whatever happens during an export. */
describe('Exports of the history from two instances', function () {
  this.timeout(120_000);
  let postgres: TestPostgres;
  let service: Service;
  let proxy: FaultyProxy;
  let client: Client;
  let key: string;
  /** Of another subscription. */
  let otherKey: string;
  let start: string;
  let range: (after: string) => string;
  let whole: readonly string[];
  before(async () => {
    postgres = await startTestPostgres();
    service = await startService({ DATABASE_URL: postgres.url, REDIS_URL: redisUrl() }, 2);
    proxy = await startFaultyProxy(instance(0).url);
    client = await Client.of(service);
    [{ key }, { key: otherKey }] = [await aKey(client), await aKey(client)];
    await publish('before');
    start = await position();
    for (let from = 0; from < ITEMS; from += 100)
      await publish(...Array.from({ length: 100 }, (_, i) => `ne_${from + i}`));
    await publish('ne_0', 'ne_700');
    await client.retract('ne_700');
    const end = await position();
    range = (after) => `?after=${after}&until=${end}`;
    // What comes later changes nothing in the range.
    await publish('ne_1', 'later');
    await client.retract('ne_2');
    const { changes, last } = await readExport(instance(1).url, key, range(start));
    expect(last).to.deep.equal({ type: 'complete', position: end });
    expect(changes).to.have.length(ITEMS + 3);
    whole = changes;
  });
  // Also after a failure: the next test, and the end of this one, would wait for it.
  afterEach(() => postgres.thaw());
  after(async () => {
    await proxy.stop();
    await service.stop();
    await postgres.stop();
  });

  const instance = (n: 0 | 1): Instance => service.instances[n] ?? expect.fail('there are two instances');
  const position = async () => String((await client.news(key, '?limit=1')).headers['feed-position']);
  let version = 0;
  const publish = (...ids: readonly string[]) => {
    version += 1;
    return publishAll(
      client,
      ids.map((id) => {
        const item = publication({ id });
        return {
          ...item,
          news_event: { ...item.news_event, headline: `version ${version}`, long_context: LONG },
        };
      }),
    );
  };
  /** The other lines of the range after an export that ended early, from an instance. */
  const continued = async (ended: Exported, url: string): Promise<readonly string[]> => {
    const after = continuation(ended, start);
    if (after === null) return ended.changes;
    const next = await readExport(url, key, range(after));
    return [...ended.changes, ...(await continued(next, url))];
  };
  /** Compares positions first: a message with all lines would be unreadable. */
  const expectWhole = (changes: readonly string[], what = '') => {
    const positions = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).position);
    expect(positions(changes), what).to.deep.equal(positions(whole));
    expect(changes.join('\n') === whole.join('\n'), `${what}: the same lines`).to.equal(true);
  };

  it('have the same bytes', async () => {
    const digests = [];
    for (const n of [0, 1, 0] as const) {
      const body = await bytesOf(await openExport(instance(n).url, key, range(start)));
      digests.push(createHash('sha256').update(body).digest('hex'));
      await publish('ne_3');
    }
    expect(new Set(digests).size, digests.join(' ')).to.equal(1);
  });

  /** Forwards a response until it has so many bytes. It then looks complete, or is cut. */
  const cutAfter =
    (bytes: number, end: 'ends' | 'is cut', url: string): Fault =>
    (response, asked) => {
      get(url + asked.url, { headers: asked.headers, agent: false }, (incoming) => {
        response.writeHead(incoming.statusCode ?? 502, incoming.headers);
        let left = bytes;
        incoming.on('data', (chunk: Buffer) => {
          const isLast = chunk.length >= left;
          response.write(chunk.subarray(0, left), () => {
            if (isLast) response[end === 'ends' ? 'end' : 'destroy']();
          });
          left -= chunk.length;
          if (isLast) incoming.destroy();
        });
        incoming.on('end', () => response.end()).on('error', () => {});
      });
    };

  it('have the same lines when they are cut at random bytes, and continued after the last complete line', async () => {
    const bytes = whole.reduce((sum, line) => sum + line.length + 1, 0);
    const cuts = [1, ...Array.from({ length: CUTS }, () => randomInt(1, Math.ceil(bytes / (CUTS / 2))))];
    proxy.fail(
      ...cuts.map((cut, i) =>
        cutAfter(cut, i % 3 === 0 ? 'ends' : 'is cut', instance(i % 2 === 0 ? 0 : 1).url),
      ),
    );
    const changes: string[] = [];
    let parts = 0;
    for (let after: string | null = start; after !== null; parts += 1) {
      const got: Exported = await readExport(proxy.url, key, range(after));
      changes.push(...got.changes);
      after = continuation(got, after);
    }
    expectWhole(changes, `cut after ${cuts} bytes`);
    expect(parts).to.be.greaterThan(CUTS / 2);
  });
  /** Asks for the newest page of both instances. */
  const newestPages = async (times: number) => {
    const statuses = [];
    for (let i = 0; i < times; i += 1)
      for (const { url } of service.instances)
        statuses.push((await send(`${url}/pm/v2/news`, { headers: { 'X-API-Key': otherKey } })).status);
    return [...new Set(statuses)];
  };

  it('pause while Postgres is frozen, and have each line once afterwards; pages are served meanwhile', async () => {
    expect(await newestPages(2)).to.deep.equal([200]);
    const begun = await begunExport(instance(0).url, key, range(start));
    await postgres.freeze();
    const ending = begun.rest();
    expect(await newestPages(20)).to.deep.equal([200]);
    const ended = await ending;
    expect([ended.isWhole, ended.last?.type, ended.last?.problem?.code]).to.deep.equal([
      ...[true, 'paused', 'unavailable'],
    ]);
    expect(await newestPages(2)).to.deep.equal([200]);
    await postgres.thaw();
    expectWhole(await continued(ended, instance(1).url));
  });

  it('continue, or pause, when Postgres is frozen for a moment', async () => {
    for (let times = 0; times < 3; times += 1) {
      const begun = await begunExport(instance(1).url, key, range(start));
      await postgres.freeze();
      const ending = begun.rest();
      expect(await newestPages(3)).to.deep.equal([200]);
      await postgres.thaw();
      const ended = await ending;
      expect(ended.isWhole).to.equal(true);
      expectWhole(await continued(ended, instance(0).url), ended.last?.type);
    }
  });

  it('pause after a complete line when the instance stops, and continue at the other one', async () => {
    const { process: child, url, line } = instance(0);
    const begun = await begunExport(url, key, range(start));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await line('draining');
    const ended = await begun.rest();
    expect([ended.isWhole, ended.last]).to.deep.equal([
      true,
      { type: 'paused', position: ended.last?.position, retry_after_seconds: 2, problem: null },
    ]);
    expect(await exit).to.deep.equal([0, null]);
    expect(ended.changes.length).to.be.lessThan(whole.length);
    expectWhole(await continued(ended, instance(1).url));
  });
});
