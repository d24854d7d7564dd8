import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { publication } from '../../support/objects/builders.js';
import { advance, ids, ndjson, publishAll } from '../../support/service/api-calls.js';
import { type Client, send } from '../../support/service/client.js';
import { launchInstance } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';
import { BEFORE_HISTORY, BUILDS, moduleBefore } from '../../support/versions/version-before.js';
import { startVersionsBeside, type VersionsBeside } from '../../support/versions/versions-beside.js';

type Change = {
  readonly kind: string;
  readonly id: string;
  readonly revision: number | null;
  readonly item: { readonly news_event: { readonly headline: string } } | null;
};

const DAY_SECONDS = 86_400;
/** The retention of changes in the last commit before the history. */
const RETENTION = 'adapters/postgres/retention/postgres-expired-rows.js';
type RetentionModule = {
  readonly PostgresExpiredRows: new (
    db: Knex,
  ) => { delete(table: 'feed_change', expiry: object, count: number): Promise<number> };
};
const LATER = '2100-01-01T00:00:00Z';

/** D59: triggers keep the versions, so it does not matter who writes. */
for (const build of BUILDS)
  describe(`The history of this version beside the previous one: ${build}`, function () {
    this.timeout(60_000);
    let versions: VersionsBeside;
    let db: Knex;
    /** The version before, and this one. */
    let previous: Client;
    let present: Client;
    let url: string;
    let key: string;
    before(async () => {
      // The first item is published before the history exists.
      versions = await startVersionsBeside(build, [titled('old', 'old 1')]);
      ({ key } = versions);
      ({ client: previous } = versions.previous);
      ({ client: present, url } = versions.present);
      db = connect(versions.settings.DATABASE_URL, REQUEST_TIMEOUTS, 2);
    });
    after(async () => {
      await disconnect(db);
      await versions.stop();
    });

    const titled = (id: string, headline: string) => {
      const item = publication({ id });
      return { ...item, news_event: { ...item.news_event, headline } };
    };

    /** The changes of an id: the kind, the revision and the headline. */
    const versionsOf = async (id: string) => {
      const { json } = await send(`${url}/pm/v2/history?limit=500&news_id=${id}`, {
        headers: { 'X-API-Key': key },
      });
      return (json as { readonly changes: readonly Change[] }).changes.map(
        ({ kind, revision, item }) => `${kind} ${revision} ${item?.news_event.headline ?? '-'}`,
      );
    };

    it('loses no version, whoever publishes, replaces and retracts', async () => {
      await publishAll(previous, [titled('a', 'a 1'), titled('b', 'b 1'), titled('a', 'a 2')]);
      await publishAll(present, [titled('a', 'a 3')]);
      await publishAll(previous, [titled('a', 'a 4'), titled('old', 'old 2')]);
      await previous.retract('a');
      await publishAll(present, [titled('a', 'a 5')]);
      await publishAll(previous, [titled('a', 'a 6')]);
      await present.retract('b');
      await publishAll(previous, [titled('b', 'b 2')]);
      expect(await versionsOf('a')).to.deep.equal([
        'published 1 a 2',
        'replaced 2 a 3',
        'replaced 3 a 4',
        'retracted 4 -',
        'published 5 a 5',
        'replaced 6 a 6',
      ]);
      expect(await versionsOf('b')).to.deep.equal(['published 1 b 1', 'retracted 2 -', 'published 3 b 2']);
      expect(await versionsOf('old')).to.deep.equal(['replaced null old 2']);
    });

    it('has the feed of each change as it was, also of the versions of the previous one', async () => {
      const { headers } = await fetch(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } });
      const position = headers.get('Feed-Position');
      const page = async (query: string) => ids(await present.news(key, query));
      const then = await page('?limit=500');
      await publishAll(previous, [titled('a', 'a 7'), titled('c', 'c 1')]);
      await previous.retract('old');
      await until('c', async () => (await page('?limit=1'))[0]);
      expect(await page(`?limit=500&as_of=${position}`)).to.deep.equal(then);
      expect(await versionsOf('old')).to.deep.equal(['replaced null old 2', 'retracted null -']);
    });

    it('loses no version to an update and a delete by hand', async () => {
      await publishAll(present, [titled('d', 'd 1'), titled('e', 'e 1')]);
      const changed = Buffer.from(JSON.stringify({ ...titled('d', 'd 2'), meta: {} }));
      await db('item').where({ id: 'd' }).update({ json: changed });
      await db('item').where({ id: 'e' }).delete();
      // What was changed by hand becomes a part of the feed with the next change.
      await publishAll(previous, [titled('d', 'd 3'), titled('e', 'e 2')]);
      const stored = async (id: string) => {
        const { rows } = await db.raw<{ rows: readonly { readonly json: Buffer }[] }>(
          'select json from item_version where id = ? union all select json from item where id = ?',
          [id, id],
        );
        return rows.map(({ json }) => (JSON.parse(json.toString()) as Change['item'])?.news_event.headline);
      };
      expect(await stored('d')).to.have.members(['d 1', 'd 2', 'd 3']);
      expect(await stored('e')).to.have.members(['e 1', 'e 2']);
      expect(await versionsOf('d')).to.include.members(['published 1 d 1', 'replaced 2 d 3']);
      expect(await versionsOf('e')).to.include('published 1 e 1');
    });

    /** Runs the statement with which the retention of that build deletes changes, but with none of the newest ones kept. */
    const forceRetention = async () => {
      const { PostgresExpiredRows } = (await moduleBefore(RETENTION, BEFORE_HISTORY)) as RetentionModule;
      const expiry = { until: LATER, newestKept: 1 };
      await new PostgresExpiredRows(db).delete('feed_change', expiry, 1_000);
    };

    it('trims nothing: not by the jobs of either version after weeks, and not by a delete by hand', async () => {
      const numbers = async () => (await db('feed_change').orderBy('n').pluck('n')) as readonly number[];
      const kept = await numbers();
      expect(kept).to.deep.equal(Array.from({ length: kept.length }, (_, i) => (kept[0] ?? 0) + i));
      const versions = await versionsOf('a');
      for (const client of [previous, present]) await advance(client, 15 * DAY_SECONDS);
      await db('feed_change').delete();
      await forceRetention();
      expect(await numbers()).to.deep.equal(kept);
      expect(await versionsOf('a')).to.deep.equal(versions);
    });

    it('has every page again that either version served, byte for byte, after both were replaced', async () => {
      type Served = { readonly query: string; readonly position: string | null; readonly page: unknown };
      const pageOf = async (base: string, query: string): Promise<Served> => {
        const answer = await fetch(`${base}/pm/v2/news?${query}`, { headers: { 'X-API-Key': key } });
        const page = [answer.status, answer.headers.get('ETag'), await answer.text()];
        return { query, position: answer.headers.get('Feed-Position'), page };
      };
      const served: Served[] = [];
      const dated = (id: string, scored_at: string) => ({
        ...titled(id, `${id} of ${scored_at}`),
        scored_at,
      });
      const steps: readonly ((client: Client) => Promise<unknown>)[] = [
        (client) => publishAll(client, [titled('f', 'f 1'), titled('g', 'g 1')]),
        (client) => publishAll(client, [titled('f', 'f 2')]),
        (client) => client.retract('g'),
        (client) => client.publish(ndjson([dated('h', '2026-01-01T00:00:00Z')]), '?mode=backfill'),
        (client) => publishAll(client, [titled('g', 'g 2'), titled('a', 'a 8')]),
      ];
      for (const [i, step] of steps.entries()) {
        await step(i % 2 === 0 ? previous : present);
        const cursor = `cursor=${encodeURIComponent(await present.time())}`;
        for (const query of ['limit=2', 'limit=500', `limit=3&${cursor}`, 'market_id=s1', 'news_id=f'])
          served.push(await pageOf(url, query), await pageOf(versions.previous.url, query));
      }
      await versions.stopVersions();
      const fresh = launchInstance(versions.settings);
      const { url: base } = await fresh.listening;
      // 0.2.0 names no position.
      const named = served.filter(({ position }) => position !== null);
      expect(named).to.have.length(build === BEFORE_HISTORY ? 50 : 25);
      for (const { query, position, page } of named)
        expect((await pageOf(base, `${query}&as_of=${position}`)).page, query).to.deep.equal(page);
      await fresh.stop();
    });
  });
