import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type HistoryChange, Oddswire } from '@oddswire/client';
import { expect } from 'chai';
import Database from 'libsql';
import { Example } from '../../support/client/example.js';
import { walked } from '../../support/client/followed.js';
import { PROJECT } from '../../support/client/packed.js';
import { publication } from '../../support/objects/builders.js';
import { actOn, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const LINES_MAX = 30;
const COLUMNS_MAX = 120;
const KILLS = 10;

const isInstalled = (...commands: readonly string[]): boolean =>
  commands.every((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0);

describe('The examples', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let url: string;
  let key: KeyView;
  let examples: Example[] = [];

  before(async () => {
    service = await startService({ STREAM_HEARTBEAT_SECONDS: '1' });
    client = await Client.of(service);
    url = service.instances[0]?.url ?? '';
    key = await aKey(client);
    await publish('first', 'second');
  });
  afterEach(async () => {
    await Promise.all(examples.map((example) => example.remove()));
    examples = [];
  });
  after(() => service.stop());

  const publish = (...ids: readonly string[]) =>
    publishAll(
      client,
      ids.map((id) => publication({ id })),
    );

  const started = (file: string, own: { readonly key: string } = key, ...parameters: string[]): Example => {
    const example = new Example();
    examples.push(example);
    example.start(file, { url, key: own.key }, ...parameters);
    return example;
  };

  for (const file of readdirSync(join(PROJECT, 'examples')))
    it(`have at most ${LINES_MAX} lines, none longer than ${COLUMNS_MAX} characters: ${file}`, () => {
      const lines = readFileSync(join(PROJECT, 'examples', file), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.length).to.be.within(10, LINES_MAX);
      expect(lines.filter(({ length }) => length > COLUMNS_MAX)).to.deep.equal([]);
    });

  it('print each change of the feed, in TypeScript', async () => {
    const { lines } = started('follow.ts');
    await until(1, () => lines.length);
    expect(lines).to.deep.equal([`${(await walked(new Oddswire({ url, key: key.key }))).feed.size} items`]);
    await publish('typed');
    // A stream that opens later sends only the last change of an item: the first one is awaited.
    await until(true, () => lines[1]?.startsWith('+ typed: '));
    await client.retract('typed');
    await until('- typed', () => lines[2]);
  });

  for (const [file, ...commands] of [
    ['follow.py', 'python3'],
    ['follow.sh', 'curl', 'jq'],
  ] as const) {
    if (!isInstalled(...commands)) continue;
    it(`print each change, go on after a crash, and stop with their key: ${file}`, async () => {
      const own = await aKey(client);
      const id = `of-${file}`;
      const example = started(file, own);
      const changes = () =>
        example.lines
          .map((line) => JSON.parse(line))
          .map(({ type, item, id: own }) => [type, own ?? item.news_event.id]);
      await until(true, () => readPosition(example) !== '');
      const before = readPosition(example);
      await publish(id);
      await until([['item', id]], changes);
      await until(true, () => readPosition(example) !== before);
      await example.kill();
      await client.retract(id);
      example.start(file, { url, key: own.key });
      await until(['retraction', id], () => changes().at(-1));
      await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
      expect(await example.ended()).to.equal(1);
      expect(example.errors).to.include('key_revoked');
    });
  }

  it('print a line for each item about one market', async () => {
    const [market = ''] = (await new Oddswire({ url, key: key.key }).page()).items
      .flatMap(({ related_markets }) => related_markets)
      .flatMap(({ sub_markets }) => sub_markets.map(({ sub_market_id }) => sub_market_id));
    const { lines } = started('alert.ts', key, market);
    const about = (n: number) => until(n, () => lines.filter((line) => line.includes('YES costs')).length);
    await about(2);
    const backfill = publication({ id: 'backfill', scored_at: '2025-01-31T12:00:00Z' });
    const news_event = { ...backfill.news_event, headline: 'News of last year' };
    await publishAll(client, [{ ...backfill, news_event }], '?mode=backfill');
    await publish('third');
    await about(3);
    expect(lines[0]).to.equal(`waiting for news on ${market}`);
    expect(lines.join()).not.to.include('News of last year');
  });

  it('keep every change in a file, and go on after the last whole line of it', async () => {
    const example = started('export-history.ts');
    const file = join(example.folder, 'history.ndjson');
    expect([await example.ended(), example.errors]).to.deep.equal([0, '']);
    const before = readFileSync(file, 'utf8');
    appendFileSync(file, before.slice(0, 100));
    await publish('exported');
    await client.retract('exported');
    example.start('export-history.ts', { url, key: key.key });
    expect([await example.ended(), example.errors]).to.deep.equal([0, '']);
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith(before)).to.equal(true);
    expect(example.lines.at(-1)).to.equal('2 changes added');
    const stored = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const changes: HistoryChange[] = [];
    for await (const change of new Oddswire({ url, key: key.key }).history()) changes.push(change);
    expect(stored).to.deep.equal(changes);
  });

  it(`keep a copy in SQLite that equals the feed after ${KILLS} kills at random moments`, async () => {
    const example = started('mirror.ts');
    let isKilling = true;
    // Each id is published once: a later change cannot hide that one was lost.
    const publishing = (async () => {
      for (let n = 0; isKilling; n += 1) {
        await publish(...Array.from({ length: 5 }, (_, i) => `m-${n}-${i}`));
        await client.retract(`m-${n}-1`);
        await setTimeout(60);
      }
    })();
    for (let n = 0; n < KILLS; n += 1) {
      // Some kills come before the first connection, and most while changes are stored.
      const before = n % 5 === 0 ? null : storedPosition(example);
      while (before !== null && storedPosition(example) === before) await setTimeout(20);
      await setTimeout(20 * Math.random());
      await example.kill();
      example.start('mirror.ts', { url, key: key.key });
    }
    isKilling = false;
    await publishing;
    const { feed } = await walked(new Oddswire({ url, key: key.key }));
    const mirrored = () => {
      const rows = rowsOf<{ id: string; body: string }>(example, 'select id, body from item');
      return Object.fromEntries(rows.map(({ id, body }) => [id, JSON.parse(body)]));
    };
    // The copy is read while the program writes it.
    const wanted = Object.fromEntries(feed);
    while (!isDeepStrictEqual(mirrored(), wanted)) await setTimeout(100);
    expect(example.errors).to.equal('');
  });
});

/** Reads the database of the mirror, also while the mirror writes it, or has not created it. */
function rowsOf<Row>({ folder }: Example, query: string): readonly Row[] {
  const db = new Database(join(folder, 'feed.db'), { timeout: 5_000 });
  try {
    return db.prepare(query).all() as Row[];
  } catch {
    return [];
  } finally {
    db.close();
  }
}

const storedPosition = (example: Example): string =>
  rowsOf<{ position: string }>(example, 'select position from feed')[0]?.position ?? '';

const readPosition = ({ folder }: Example): string => {
  try {
    return readFileSync(join(folder, 'position'), 'utf8');
  } catch {
    return '';
  }
};
