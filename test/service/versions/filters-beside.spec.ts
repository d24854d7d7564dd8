import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { TERMS } from '../../../src/domain/feed/filters/item-terms.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { advance, page, publishAll } from '../../support/service/api-calls.js';
import type { Client } from '../../support/service/client.js';
import { until } from '../../support/until.js';
import { BUILDS } from '../../support/versions/version-before.js';
import { startVersionsBeside, type VersionsBeside } from '../../support/versions/versions-beside.js';

/** Longer than the pause of the job that adds terms. */
const PAUSE_SECONDS = 11;

/** The markets of an item: one that every item has, and one of its own. */
const relatedOf = (id: string) => [
  market('m-all', { ...subMarket('s-all'), market_url: 'https://polymarket.com/event/all?tid=7' }),
  market(`m-${id}`, subMarket(`s-${id}`)),
];

const authored = (id: string, author: string) => {
  const item = publication({ id, related_markets: relatedOf(id) });
  return { ...item, news_event: { ...item.news_event, headline: `News of ${id}`, author } };
};

/** D57: 0.2.0 stores items without terms, the other build with those of the first version. */
for (const build of BUILDS)
  describe(`The filters of this version beside the previous one: ${build}`, function () {
    this.timeout(60_000);
    let versions: VersionsBeside;
    let db: Knex;
    let previous: Client;
    let present: Client;
    let key: string;
    before(async () => {
      const earlier = [authored('old', 'L. O’Brien'), authored('replaced', 'L. O’Brien')];
      // Nearly all pages are read from Postgres.
      versions = await startVersionsBeside(build, earlier, { HOT_ITEMS: '1' });
      ({ key } = versions);
      ({ client: previous } = versions.previous);
      ({ client: present } = versions.present);
      db = connect(versions.settings.DATABASE_URL, REQUEST_TIMEOUTS, 1);
    });
    after(async () => {
      await disconnect(db);
      await versions.stop();
    });

    /** The ids of the items on a page, each with the ids of its sub-markets, newest first. */
    const found = async (query: string): Promise<readonly string[]> => {
      const reply = await present.news(key, `?${query}`);
      expect([query, reply.status]).to.deep.equal([query, 200]);
      return page(reply).items.map(({ news_event: { id }, related_markets: markets }) => {
        const subs = markets.flatMap(({ sub_markets }) => sub_markets.map((sub) => sub.sub_market_id));
        return `${id}: ${subs.join(' ')}`;
      });
    };
    const whole = (...names: readonly string[]) => names.map((id) => `${id}: s-all s-${id}`);
    const narrowed = (...names: readonly string[]) => names.map((id) => `${id}: s-all`);

    /** Filters of the first version and of this one. */
    const filtersFind = async () => {
      for (const query of ['author=l-o-brien', 'source=the-wire&author=l-o-brien', 'author=l-o-brien&q=news'])
        expect(await found(query), query).to.deep.equal(whole('own', 'beside', 'old'));
      const all = ['own', 'beside', 'old', 'replaced'];
      for (const query of ['effect=supports', 'venue=markets.example', 'category=geopolitics', 'q=news'])
        expect(await found(query), query).to.deep.equal(whole(...all));
      for (const reference of [
        'm-all',
        's-all',
        encodeURIComponent('https://www.polymarket.com/event/all?tid=7'),
      ])
        expect(await found(`market=${reference}`), reference).to.deep.equal(narrowed(...all));
      expect(await found('market=m-old&market=s-beside')).to.deep.equal(['beside: s-beside', 'old: s-old']);
      expect(await found('author=jane-doe')).to.deep.equal(whole('replaced'));
      for (const query of ['author=nobody', 'market=m-gone', 'author=l-o-brien&market=s-replaced'])
        expect(await found(query), query).to.deep.equal([]);
    };

    it('find what either version stores, replaces and retracts, at once', async () => {
      await publishAll(previous, [authored('beside', 'L. O’Brien'), authored('gone', 'L. O’Brien')]);
      await publishAll(present, [authored('own', 'L. O’Brien')]);
      const replacement = authored('replaced', 'Jane Doe');
      await publishAll(previous, [{ ...replacement, scored_at: '2026-01-02T00:00:00Z' }], '?mode=backfill');
      await previous.retract('gone');
      const order = ['own', 'beside', 'old', 'replaced'];
      await until(order.join(), async () => {
        const listed = await found('limit=10');
        return listed.map((text) => text.split(':')[0]).join();
      });
      await filtersFind();
    });

    it('find the same after the job has written terms of this version', async () => {
      const lacking = async () =>
        (await db('item').whereNull('terms_version').orWhere('terms_version', '<', TERMS.version)).length;
      await until(0, async () => {
        await advance(present, PAUSE_SECONDS);
        return lacking();
      });
      await filtersFind();
    });
  });
