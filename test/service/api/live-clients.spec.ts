import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { codeUnder, type Followed, Program, runnableLanguages } from '../../support/live/programs.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { actOn, aKey, type KeyView, type Page, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { killed, type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const LINES_MAX = 55;
const COLUMNS_MAX = 130;

/** The delay of each answer: some items are published between two pages of a walk. */
const BETWEEN_PAGES_MS = 50;

/** The bytes of a response that is cut in its headers, which curl takes for an empty one. */
const HALF_A_HEAD = 30;

/** More than one page of a walk. */
const ITEMS = 505;

const item = (n: number, headline = `Headline ${n}`, context = 'Long.'): PublicationInput => {
  const { news_event, ...rest } = publication({ id: `ne_${n}` });
  return { ...rest, news_event: { ...news_event, headline, long_context: context } };
};

describe('The programs of docs/live.md', function () {
  this.timeout(60_000);
  const headings = runnableLanguages();
  let programs: readonly Program[];
  let service: Service;
  let client: Client;
  let proxy: SilentProxy;
  let database: string;
  let key: KeyView;

  const start = async () => {
    service = await startService({ DATABASE_URL: database, STREAM_HEARTBEAT_SECONDS: '1' });
    client = await Client.of(service);
    return service.instances[0]?.url ?? '';
  };
  const environment = (used: KeyView) => ({
    ...process.env,
    ODDSWIRE_URL: proxy.url.slice(0, -1),
    ODDSWIRE_KEY: used.key,
  });
  const startAll = () => {
    for (const program of programs) program.start(environment(key));
  };

  before(async () => {
    database = await freshDatabase(serverUrl());
    proxy = await startSilentProxy(await start());
    proxy.delay(BETWEEN_PAGES_MS);
    key = await aKey(client);
    await publishAll(
      client,
      Array.from({ length: ITEMS }, (_, n) => item(n)),
    );
    programs = headings.map((heading) => new Program(heading));
  });
  after(async () => {
    await Promise.all(programs.map((program) => program.remove()));
    await Promise.all([proxy.stop(), service.stop()]);
  });

  /** The feed as all pages together show it. */
  const walk = async (): Promise<Followed> => {
    const items: Record<string, unknown> = {};
    let position: string | null = null;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const reply = await client.news(key.key, `?limit=500${cursor && `&cursor=${cursor}`}`);
      const page = reply.json as Page;
      position ??= reply.headers['feed-position'] ?? null;
      for (const each of page.items) items[each.news_event.id] = each;
      cursor = page.next_cursor;
    }
    return { position, items };
  };

  /** Waits until each program has the state of the feed. */
  const expectCurrent = async (isExpected: (heading: string) => boolean = () => true) => {
    const feed = await walk();
    for (const [i, program] of programs.entries()) {
      if (!isExpected(headings[i] ?? '')) continue;
      const { items } = await program.reached(({ position }) => position === feed.position);
      expect(items, headings[i]).to.deep.equal(feed.items);
    }
  };

  const retract = (n: number) => client.retract(`ne_${n}`);

  it('have at most 55 lines, none longer than 130 characters', () => {
    for (const heading of ['JavaScript', 'Python', 'Shell']) {
      const code = codeUnder(heading)[0]?.replace(/^.*Run it: .*\n/, '') ?? '';
      const lines = code.trimEnd().split('\n');
      expect(lines.length, heading).to.be.within(10, LINES_MAX);
      expect(lines.filter(({ length }) => length > COLUMNS_MAX)).to.deep.equal([]);
    }
  });

  it('miss no change that is published while they read the pages', async () => {
    startAll();
    let isStored = false;
    const publishing = (async () => {
      for (let n = 0; !isStored; n += 1) {
        await publishAll(client, [item(n % ITEMS, `During the walk: ${n}`)]);
        await setTimeout(BETWEEN_PAGES_MS / 10);
      }
    })();
    for (const program of programs) await program.reached(({ position }) => Boolean(position));
    isStored = true;
    await publishing;
    await expectCurrent();
  });

  it('follow publications, replacements and retractions', async () => {
    await publishAll(client, [item(ITEMS), item(3, 'A replaced headline: “Ω\u2028”\r\n\ndata: {}')]);
    await retract(4);
    await expectCurrent();
  });

  it('lose nothing when the connection is cut in the middle of a message', async () => {
    proxy.tear(5_000);
    await publishAll(client, [item(5, 'Torn', randomBytes(10_000).toString('hex'))]);
    await retract(6);
    await expectCurrent();
  });

  it('notice a connection that has died without a sign', async () => {
    proxy.silence();
    await publishAll(client, [item(ITEMS + 1)]);
    // curl measures the speed over several seconds, and notices it later.
    await expectCurrent((heading) => heading !== 'Shell' || process.env['DEEP'] !== undefined);
  });

  it('lose nothing when they are killed', async () => {
    await Promise.all(programs.map((program) => program.kill()));
    await publishAll(client, [item(ITEMS + 2)]);
    await retract(7);
    startAll();
    await expectCurrent();
  });

  it('walk again if their position has expired after a restart, and drop what the feed no longer has', async () => {
    await service.stop();
    const db = new pg.Client({ connectionString: database });
    await db.connect();
    await db.query('update feed_change set mark = substring(sha256(mark) from 1 for 8)');
    await db.query("delete from item_sub_market where item_id = 'ne_9'");
    await db.query("delete from item where id = 'ne_9'");
    await db.end();
    proxy.redirect(await start());
    await publishAll(client, [item(8, 'Published after the restart')]);
    await expectCurrent();
    expect((await programs[0]?.followed())?.items).not.to.have.property('ne_9');
  });

  if (headings.includes('Shell')) {
    it('end their processes when only the shell is killed', async () => {
      const shell = programs[headings.indexOf('Shell')] ?? expect.fail('it is not there');
      await shell.killFirst();
      await until(false, () => shell.isRunning());
      shell.start(environment(key));
      await expectCurrent();
    });

    it('print the changes in batches, and stop with the problem when the key is revoked', async () => {
      const own = await aKey(client);
      const from = (await client.news(own.key, '?limit=1')).headers['feed-position'] ?? '';
      const [loop = ''] = codeUnder('JSON batches');
      const output = { stdout: '', stderr: '' };
      const child = spawn('sh', ['-c', loop, 'loop', from], { env: environment(own) });
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream].on('data', (text) => {
          output[stream] += text;
        });
      const types = () =>
        output.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).type]));
      // The walk may have left these as they were published first.
      const inBatch = (n: number) => item(n, `In a batch: ${n}`);
      await publishAll(client, [inBatch(10), inBatch(11)]);
      await until(['item', 'item'], types);
      await retract(12);
      await until(['item', 'item', 'retraction'], types);
      for (const instance of service.instances) await killed(instance);
      proxy.redirect(await start());
      await publishAll(client, [inBatch(13)]);
      await until(['item', 'item', 'retraction', 'item'], types);
      proxy.tear(200, HALF_A_HEAD);
      await publishAll(client, [inBatch(14)]);
      await until(['item', 'item', 'retraction', 'item', 'item'], types);
      await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
      await once(child, 'close');
      expect(output.stderr).to.include('key_revoked');
    });
  }

  it('stop with the problem when the key is revoked', async () => {
    const ends = programs.map((program) => program.stopped());
    await actOn(client, key.key_id, 'revoke', { cause: 'manual' });
    for (const { code, errors } of await Promise.all(ends)) {
      expect(code).to.equal(1);
      expect(errors).to.match(/"code": ?"key_revoked"/);
    }
    startAll();
    for (const { code, errors } of await Promise.all(programs.map((program) => program.stopped()))) {
      expect(code).to.equal(1);
      expect(errors).to.match(/"code":"key_revoked"/);
    }
  });
});
