import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import FeedParser from 'feedparser';
import { parseAtomFeed } from 'feedsmith';
import RssParser from 'rss-parser';
import { type AtomItem, atomFeed } from '../../../src/adapters/destinations/atom-feed.js';
import { oneLine } from '../../../src/adapters/destinations/publisher-text.js';
import type { StoredItem } from '../../../src/domain/feed/stored-item.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { NOON, publication, runs } from '../../support/objects/builders.js';
import { hostileItem, hostileText } from '../../support/objects/hostile-items.js';

const FEED_URL = 'https://oddswire.example/dashboard/feed?a=1&b=2';
const SELF_URL = 'https://oddswire.example/feeds/feed_x.atom';

/** What all parsers find of an entry. */
type Entry = {
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly link: string | undefined;
  readonly updatedMs: number;
  readonly content: string | undefined;
};

const PARSERS: Readonly<Record<string, (xml: string) => Promise<readonly Entry[]>>> = {
  'rss-parser': async (xml) =>
    (await new RssParser().parseString(xml)).items.map((entry) => ({
      id: entry['id'],
      title: entry.title,
      link: entry.link,
      updatedMs: Date.parse(entry.isoDate ?? ''),
      content: entry.content,
    })),
  feedsmith: async (xml) =>
    (parseAtomFeed(xml).entries ?? []).map((entry) => ({
      id: entry.id,
      title: textOf(entry.title),
      link: entry.links?.[0]?.href,
      updatedMs: Date.parse(String(entry.updated)),
      content: textOf(entry.content),
    })),
  feedparser: async (xml) => {
    const parser = new FeedParser({ normalize: true, addmeta: false, strict: true });
    const entries: Entry[] = [];
    Readable.from([xml]).pipe(parser);
    for await (const entry of parser as AsyncIterable<FeedParser.Item>)
      entries.push({
        id: entry.guid,
        // `title` is without what looks like a tag.
        title: textOf((entry as { readonly 'atom:title'?: unknown })['atom:title'], '#'),
        link: entry.link,
        updatedMs: entry.date?.getTime() ?? Number.NaN,
        content: entry.description,
      });
    return entries;
  },
};

const textOf = (value: unknown, member = 'value'): string | undefined => {
  if (typeof value !== 'object' || value === null) return value as string | undefined;
  return (value as Readonly<Record<string, string | undefined>>)[member];
};

const atomOf = (items: readonly AtomItem[], title = 'Feed'): string =>
  atomFeed({ id: 'dest_1', selfUrl: SELF_URL, feedUrl: FEED_URL, title, updated: NOON, items });

const itemAt = (
  id: string,
  micros: number,
  item: StoredItem = publication({ id }) as StoredItem,
): AtomItem => ({
  id,
  scored_at: plus(NOON, micros * MICROSECOND),
  known_at: null,
  item,
});

describe('An Atom feed', () => {
  it('has the stable id of each item, its times, its source and its markets', () => {
    const xml = atomOf([itemAt('ne/1 é', 7)]);
    expect(xml)
      .to.include('<id>tag:oddswire.example,2026:feed/dest_1</id>')
      .and.include(`<link rel="self" type="application/atom+xml" href="${SELF_URL}"/>`)
      .and.include('<id>tag:oddswire.example,2026:news/ne%2F1%20%C3%A9</id>')
      .and.include('<updated>2026-03-01T12:00:00.000007Z</updated>')
      .and.include('<author><name>The Wire</name></author>')
      .and.include('<category term="geopolitics"/>')
      .and.include(
        '&lt;li&gt;&lt;a href=&quot;https://markets.example/s1&quot;&gt;Will s1 happen?&lt;/a&gt; – Yes 61.0¢',
      );
  });

  it('is updated when the last change of an item became known, where that is given', () => {
    const known_at = plus(NOON, 60_000_000);
    expect(atomOf([{ ...itemAt('ne_1', 0), known_at }])).to.include(
      `<updated>${known_at}</updated>\n<author>`,
    );
  });

  it('is valid without items', async () => {
    for (const [name, parse] of Object.entries(PARSERS))
      expect(await parse(atomOf([])), name).to.deep.equal([]);
  });

  for (const [name, parse] of Object.entries(PARSERS)) {
    it(`is read by ${name} with the items that were given, whatever publishers send`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostileItem, { maxLength: 5 }), hostileText, async (hostile, title) => {
          const items = hostile.map((item, i) => itemAt(`ne_${i}`, 1_000 * i, item));
          const entries = await parse(atomOf(items, title));
          expect(entries.map(({ id }) => id)).to.deep.equal(
            items.map(({ id }) => `tag:oddswire.example,2026:news/${id}`),
          );
          for (const [i, { title: found = '', link = '', updatedMs, content = '' }] of entries.entries()) {
            const { headline, id } = items[i]?.item.news_event ?? {};
            const wanted = oneLine(headline) || oneLine(id) || 'A news event';
            if (wanted.length < 500) expect(found).to.equal(wanted);
            expect(link).to.match(/^https?:\/\/[^@/]+(?:\/|$)/);
            expect(updatedMs).to.equal(Date.parse(NOON) + i);
            expect(content).not.to.match(/<script|<(?!\/?(?:p|ul|li)>|a href="https:\/\/|\/a>)/);
          }
        }),
        runs(100),
      );
    });
  }

  it('has no character that XML 1.0 forbids', () => {
    fc.assert(
      fc.property(hostileText, hostileItem, (id, item) => {
        expect(atomOf([itemAt(id, 0, item)], id)).to.match(
          /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u,
        );
      }),
      runs(200),
    );
  });
});
