import { expect } from 'chai';
import type { FeedStore } from '../../../../src/application/ports/feed/feed-store.js';
import type { Term } from '../../../../src/domain/feed/filters/item-terms.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { at, EVERYTHING } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

describe('An item with long names in Postgres', () => {
  let schema: Schema;
  let feed: FeedStore;
  before(async () => {
    schema = await freshSchema();
    feed = postgresFeed(schema.connect());
  });
  after(() => schema.close());

  // An entry of an index has at most 2,704 bytes after compression, so the names differ.
  const authors = Array.from({ length: 450 }, (_, i) => `Author ${(i * 7_919 + 104_729).toString(36)}${i}`);
  const items = [
    { author: authors.join(', '), feed_categories: [authors.join('')] },
    { author: authors.join(' '), source_name: authors.join('') },
  ];

  it('is published, and found by what can be indexed', async () => {
    const listed = items.map((event, n) => ({
      id: `i${n}`,
      scoredAt: at(n),
      subMarketIds: [],
      json: Buffer.from(JSON.stringify({ news_event: { headline: 'Long', ...event } })),
    }));
    await feed.publish(listed, 'backfill');
    const found = async (term: string) =>
      (await feed.page({ ...EVERYTHING, terms: [[term as Term]] })).items.map(({ id }) => id);
    const last = authors.at(-1)?.toLowerCase().replace(' ', '-');
    expect(await found(`author:${last}`)).to.deep.equal(['i0']);
    expect(await found('word:long')).to.deep.equal(['i1', 'i0']);
  });
});
