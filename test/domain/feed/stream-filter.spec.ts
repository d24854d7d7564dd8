import { expect } from 'chai';
import fc from 'fast-check';
import {
  NO_FILTER,
  type Sent,
  type ShownChange,
  type StreamFilter,
  sentOf,
  shownBy,
} from '../../../src/domain/feed/stream-filter.js';
import { runs } from '../../support/objects/builders.js';

type Item = { readonly subMarketIds: readonly string[] };

const of = (...marketIds: readonly string[]): StreamFilter => ({ marketIds: new Set(marketIds) });
const item: Item = { subMarketIds: ['a', 'b', 'c'] };
const published: ShownChange<Item> = { kind: 'published', id: 'i', item };
const replaced: ShownChange<Item> = { kind: 'replaced', id: 'i', item };
const retracted: ShownChange<Item> = { kind: 'retracted', id: 'i' };

const show = (...shown: readonly string[]): Sent => ({ type: 'item', shown });
const WHOLE: Sent = { type: 'item', shown: 'whole' };
const RETRACTION: Sent = { type: 'retraction' };

describe('What a filter passes of a change (D49)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [string, StreamFilter, ShownChange<Item>, Sent])[] = [
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
    ['nothing by a filter without sub-markets',                 of(),                    published, null],
    ['retractions by a filter without sub-markets',             of(),                    replaced,  RETRACTION],
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
      const shown = shownBy(filter, { subMarketIds });
      const common = subMarketIds.filter((id) => marketIds?.has(id) ?? true);
      if (marketIds === null) expect(shown).to.equal('whole');
      else expect(shown).to.deep.equal(common.length > 0 ? common : null);
    });
    fc.assert(property, runs(300));
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
        const shownOf = (subMarketIds: readonly string[]) => shownBy(filter, { subMarketIds });
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
          const change: ShownChange<Item> =
            subMarketIds === null ? { kind: 'retracted', id } : { kind, id, item: { subMarketIds } };
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
