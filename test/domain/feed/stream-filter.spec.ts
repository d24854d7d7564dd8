import { expect } from 'chai';
import fc from 'fast-check';
import {
  type SearchableItem,
  type Term,
  termOf,
  termsOf,
} from '../../../src/domain/feed/filters/item-terms.js';
import {
  keysOf,
  NO_FILTER,
  type Sent,
  type ShownChange,
  type StreamFilter,
  sentOf,
  shownBy,
} from '../../../src/domain/feed/stream-filter.js';
import { runs } from '../../support/objects/builders.js';

/** An item with these words in its headline. */
const itemWith = (subMarketIds: readonly string[], headline = 'fed cuts'): SearchableItem => ({
  subMarketIds,
  json: Buffer.from(JSON.stringify({ news_event: { headline } })),
});
const word = (text: string): readonly Term[] => [termOf('word', text)];

const of = (...marketIds: readonly string[]): StreamFilter => ({
  ...NO_FILTER,
  marketIds: new Set(marketIds),
});
const about = (newsId: string): StreamFilter => ({ ...NO_FILTER, newsId });
const only = (marketId: string) => ({ marketIds: new Set([marketId]) });
const [fed, none]: readonly StreamFilter[] = ['fed', 'none'].map((text) => ({
  ...NO_FILTER,
  terms: [word(text)],
}));
const item = itemWith(['a', 'b', 'c']);
const published: ShownChange<SearchableItem> = { kind: 'published', id: 'i', item };
const replaced: ShownChange<SearchableItem> = { kind: 'replaced', id: 'i', item };
const retracted: ShownChange<SearchableItem> = { kind: 'retracted', id: 'i' };

const show = (...shown: readonly string[]): Sent => ({ type: 'item', shown });
const WHOLE: Sent = { type: 'item', shown: 'whole' };
const RETRACTION: Sent = { type: 'retraction' };

describe('What a filter passes of a change (D49)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [string, StreamFilter, ShownChange<SearchableItem>, Sent])[] = [
    ['the whole item, published, without a filter',             NO_FILTER,               published, WHOLE],
    ['the whole item, replaced, without a filter',              NO_FILTER,               replaced,  WHOLE],
    ['the retraction, without a filter',                        NO_FILTER,               retracted, RETRACTION],
    ['the item with the one sub-market of the filter',          of('b', 'x'),            published, show('b')],
    ['the item with several, in the order of the item',         of('c', 'x', 'a'),       published, show('a', 'c')],
    ['the item with all of them',                               of('c', 'b', 'a'),       published, show('a', 'b', 'c')],
    ['the replaced item with the sub-market of the filter',     of('b', 'x'),            replaced,  show('b')],
    ['nothing of an item that does not pass',                   of('x'),                 published, null],
    ['a retraction of a replaced item that does not pass',      of('x'),                 replaced,  RETRACTION],
    ['every retraction',                                        of('x'),                 retracted, RETRACTION],
    ['the whole item with the word of the filter',              fed ?? NO_FILTER,        published, WHOLE],
    ['nothing of an item without the word',                     none ?? NO_FILTER,       published, null],
    ['a retraction of a replaced item without the word',        none ?? NO_FILTER,       replaced,  RETRACTION],
    ['the item with the sub-market and the word of the filter', { ...of('b'), terms: [word('fed')] },  published, show('b')],
    ['nothing of an item with only the sub-market',             { ...of('b'), terms: [word('none')] }, published, null],
    ['nothing of an item with only the word',                   { ...of('x'), terms: [word('fed')] },  published, null],
    ['nothing by a filter without sub-markets',                 of(),                    published, null],
    ['retractions by a filter without sub-markets',             of(),                    replaced,  RETRACTION],
    ['the whole item of the news event of the filter',          about('i'),              published, WHOLE],
    ['the whole item of that event, replaced',                  about('i'),              replaced,  WHOLE],
    ['the retraction of that event',                            about('i'),              retracted, RETRACTION],
    ['nothing of another event',                                about('j'),              published, null],
    ['nothing of another event that is replaced',               about('j'),              replaced,  null],
    ['no retraction of another event',                          about('j'),              retracted, null],
    ['that event with the sub-market of the filter',            { ...about('i'), ...only('b') }, published, show('b')],
    ['a retraction of that event without the sub-market',       { ...about('i'), ...only('x') }, replaced,  RETRACTION],
    ['nothing of that event without the sub-market',            { ...about('i'), ...only('x') }, published, null],
    ['nothing of another event with the sub-market',            { ...about('j'), ...only('b') }, published, null],
  ];
  for (const [name, filter, change, sent] of rows) {
    it(`is ${name}`, () => {
      expect(sentOf(filter, change)).to.deep.equal(sent);
    });
  }

  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
  const filters = fc.option(ids, { nil: null }).map((all) => (all === null ? NO_FILTER : of(...all)));

  it('is an item exactly if it has a sub-market of the filter, or if there is no filter', () => {
    const property = fc.property(filters, ids, (filter, subMarketIds) => {
      const { marketIds } = filter;
      const shown = shownBy(filter, itemWith(subMarketIds));
      const common = subMarketIds.filter((id) => marketIds?.has(id) ?? true);
      if (marketIds === null) expect(shown).to.equal('whole');
      else expect(shown).to.deep.equal(common.length > 0 ? common : null);
    });
    fc.assert(property, runs(300));
  });

  const terms = fc.array(
    fc.array(
      fc.constantFrom(
        ...['fed', 'cuts', 'none'].map((text) => termOf('word', text)),
        termOf('category', 'x'),
      ),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    { maxLength: 3 },
  );

  it('passes no item without one of its keys, and each one if it has none', () => {
    const property = fc.property(filters, terms, ids, (filter, required, subMarketIds) => {
      const both = { ...filter, terms: required };
      const shown = itemWith(subMarketIds);
      const keys = keysOf(both);
      const isFound =
        keys === null ||
        ('terms' in keys && keys.terms.some((term) => termsOf(shown).has(term))) ||
        ('marketIds' in keys && subMarketIds.some((id) => keys.marketIds.has(id)));
      if (!isFound) expect(shownBy(both, shown)).to.equal(null);
      if (keys === null) expect(shownBy(both, shown)).to.equal('whole');
    });
    fc.assert(property, runs(300));
  });

  it('has the narrowest list as its keys: the news event, sub-markets, words, then categories', () => {
    const [high, sports, tier] = [
      termOf('relevance', 'high'),
      termOf('category', 'sports'),
      termOf('source_tier', 't1'),
    ];
    const keys = (...required: readonly (readonly Term[])[]) => keysOf({ ...NO_FILTER, terms: required });
    expect(keys([high], [sports], word('fed'), word('cuts'))).to.deep.equal({ terms: word('fed') });
    expect(keys([high], [sports, sports])).to.deep.equal({ terms: [sports, sports] });
    expect(keys([tier], [high])).to.deep.equal({ terms: [tier] });
    expect(keysOf({ ...of('a'), terms: [word('fed')] })).to.deep.equal({
      marketIds: new Set(['a']),
    });
    expect(keysOf({ ...of('a'), newsId: 'i', terms: [word('fed')] })).to.deep.equal({ newsId: 'i' });
  });

  it('leaves a client that applies all messages with the items that pass, whatever it held before', () => {
    const changes = fc.array(
      fc.record({ id: fc.constantFrom('i', 'j'), subMarketIds: fc.option(ids, { nil: null }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(filters, changes, fc.nat(12), (filter, all, start) => {
        const stored = new Map<string, readonly string[]>();
        const held = new Map<string, string>();
        const shownOf = (subMarketIds: readonly string[]) => shownBy(filter, itemWith(subMarketIds));
        all.forEach(({ id, subMarketIds }, i) => {
          const kind = stored.has(id) ? 'replaced' : 'published';
          if (subMarketIds === null) {
            if (!stored.delete(id)) return;
          } else stored.set(id, subMarketIds);
          // Up to `start` the client has read the feed by pages, with the same filter.
          if (i < start) {
            const shown = subMarketIds === null ? null : shownOf(subMarketIds);
            if (shown === null) held.delete(id);
            else held.set(id, JSON.stringify(shown));
            return;
          }
          const change: ShownChange<SearchableItem> =
            subMarketIds === null ? { kind: 'retracted', id } : { kind, id, item: itemWith(subMarketIds) };
          const sent = sentOf(filter, change);
          if (sent?.type === 'item') held.set(id, JSON.stringify(sent.shown));
          else if (sent?.type === 'retraction') held.delete(id);
        });
        const expected = [...stored].flatMap(([id, subMarketIds]) => {
          const shown = shownOf(subMarketIds);
          return shown === null ? [] : [[id, JSON.stringify(shown)] as const];
        });
        expect([...held].sort()).to.deep.equal(expected.sort());
      }),
      runs(500),
    );
  });
});
