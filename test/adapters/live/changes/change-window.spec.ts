import { expect } from 'chai';
import fc from 'fast-check';
import type { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import { ChangeWindow } from '../../../../src/adapters/live/changes/change-window.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';
import {
  positionIn,
  published,
  publishedFrom,
  raised,
  replaced,
  retracted,
} from '../../../support/live/stored-changes.js';
import { runs } from '../../../support/objects/builders.js';

const MEGABYTE = 1_000_000;
/** A window after change `n`. */
const windowAfter = (n: number, maxBytes = MEGABYTE): ChangeWindow => {
  const window = new ChangeWindow(maxBytes, () => 0);
  window.reset(positionIn(n));
  return window;
};

/** The numbers of all entries. */
const numbers = (window: ChangeWindow): readonly number[] => entriesOf(window).map(({ n }) => n);
const entriesOf = (window: ChangeWindow): readonly ChangeEntry[] =>
  Array.from({ length: window.size }, (_, i) => {
    const entry = window.entry(window.oldestNumber + i);
    return entry === undefined || entry === 'below' ? expect.fail(`no entry ${i}`) : entry;
  });
/** The numbers of the entries that have an item. */
const withItem = (window: ChangeWindow): readonly number[] =>
  entriesOf(window).flatMap(({ n, change }) => ('item' in change && change.item !== null ? [n] : []));
const sumOf = (window: ChangeWindow) => entriesOf(window).reduce((sum, { bytes }) => sum + bytes, 0);

describe('The window of the newest changes', () => {
  it('has no changes before it knows a position', () => {
    const window = new ChangeWindow(MEGABYTE, () => 0);
    expect([window.newest, window.size, window.entry(0), window.entry(1)]).to.deep.equal([
      ...[null, 0],
      ...[undefined, undefined],
    ]);
    expect(() => window.add([published(1)])).to.throw('do not follow');
  });

  it('finds each change by its number, and tells older from later ones', () => {
    const window = windowAfter(6);
    expect([window.oldestNumber, window.entry(6), window.entry(7)]).to.deep.equal([7, 'below', undefined]);
    const added = window.add(publishedFrom(7, 3));
    expect(added.map(({ n }) => n)).to.deep.equal([7, 8, 9]);
    expect([7, 8, 9].map((n) => window.entry(n))).to.deep.equal(added);
    expect([window.entry(6), window.entry(10)]).to.deep.equal(['below', undefined]);
    expect([window.newest, window.oldestNumber]).to.deep.equal([positionIn(9), 7]);
    expect(window.add([])).to.deep.equal([]);
  });

  it('takes only changes without gaps after its newest one', () => {
    const window = windowAfter(6);
    for (const changes of [[published(8)], [published(6)], [published(7), published(9)]])
      expect(() => window.add(changes)).to.throw('do not follow');
    expect([window.size, window.newest]).to.deep.equal([0, positionIn(6)]);
  });

  it('takes older changes only if they end before its oldest one', () => {
    const window = windowAfter(100);
    window.add(publishedFrom(101, 2));
    for (const changes of [publishedFrom(90, 10), publishedFrom(90, 12), [published(98), published(100)], []])
      window.prepend(changes);
    expect(numbers(window)).to.deep.equal([101, 102]);
    window.prepend(publishedFrom(98, 3));
    window.prepend(publishedFrom(95, 3));
    window.add([published(103)]);
    expect(numbers(window)).to.deep.equal([95, 96, 97, 98, 99, 100, 101, 102, 103]);
    expect(window.newest).to.deep.equal(positionIn(103));
  });

  it('drops the item of a change when a later change of it is added (D50)', () => {
    const window = windowAfter(0);
    window.add([published(1, 'a'), published(2, 'b'), published(3, 'c'), raised(4)]);
    window.add([replaced(5, 'a'), retracted(6, 'b'), replaced(7, 'a')]);
    expect(withItem(window)).to.deep.equal([3, 7]);
    expect(entriesOf(window)[5]?.messageFor(NO_FILTER)?.type).to.equal('retraction');
    window.add([published(8, 'b')]);
    expect(withItem(window)).to.deep.equal([3, 7, 8]);
    expect(entriesOf(window)[5]?.messageFor(NO_FILTER)?.type).to.equal('retraction');
  });

  it('drops the item of an older change that is read later, if it has changed since', () => {
    const window = windowAfter(10);
    window.add([retracted(11, 'a'), replaced(12, 'b')]);
    window.prepend([published(8, 'a'), published(9, 'b'), published(10, 'c')]);
    expect(withItem(window)).to.deep.equal([10, 12]);
    window.add([retracted(13, 'c')]);
    expect(withItem(window)).to.deep.equal([12]);
    expect(window.bytes).to.equal(sumOf(window));
  });

  it('removes its oldest changes when items exceed its bytes, but not the newest one', () => {
    const window = windowAfter(0, 100_000);
    window.add(publishedFrom(1, 30, { text: 'x'.repeat(9_000) }));
    expect([window.newest, window.bytes]).to.deep.equal([positionIn(30), sumOf(window)]);
    expect(window.bytes).to.be.within(90_000, 100_000);
    expect(window.size).to.equal(10);
    window.add([published(31, 'large', { text: 'x'.repeat(MEGABYTE) })]);
    expect(numbers(window)).to.deep.equal([31]);
    window.add([published(32)]);
    expect(numbers(window)).to.deep.equal([32]);
    expect([window.bytes, window.entry(31)]).to.deep.equal([sumOf(window), 'below']);
  });

  it('removes its oldest changes when frames exceed its bytes', () => {
    const window = windowAfter(0, 100_000);
    const entries = window.add(publishedFrom(1, 10, { text: 'x'.repeat(9_000) }));
    expect(window.size).to.equal(10);
    for (const entry of entries.slice(5)) entry.messageFor(NO_FILTER)?.frame('ws');
    expect([window.bytes, window.newest]).to.deep.equal([sumOf(window), positionIn(10)]);
    expect(window.bytes).to.be.within(60_000, 100_000);
    expect(window.size).to.be.within(3, 5);
    // Streams may still hold an entry that was removed: its frames do not count any more.
    const { bytes } = window;
    for (const entry of entries) if (entry.n < window.oldestNumber) entry.messageFor(NO_FILTER)?.frame('sse');
    expect(window.bytes).to.equal(bytes);
  });

  it('refers no longer to changes that it has removed', () => {
    const window = windowAfter(0, 10_000);
    const [first] = window.add([published(1, 'a', { text: 'x'.repeat(6_000) })]);
    window.add([published(2, 'b', { text: 'x'.repeat(6_000) })]);
    window.add([replaced(3, 'a')]);
    expect(numbers(window)).to.deep.equal([2, 3]);
    expect(first?.messageFor(NO_FILTER)?.type).to.equal('item');
  });

  it('has room again for the bytes of an item that was superseded', () => {
    const window = windowAfter(0, 100_000);
    for (let n = 1; n <= 100; n += 1) window.add([replaced(n, 'same', { text: 'x'.repeat(50_000) })]);
    expect([window.size, withItem(window), window.bytes]).to.deep.equal([100, [100], sumOf(window)]);
  });

  it('drops everything on a reset, and does not count entries from before', () => {
    const window = windowAfter(0);
    const entries = window.add(publishedFrom(1, 3));
    window.reset(positionIn(2, 2));
    entries[0]?.messageFor(NO_FILTER)?.frame('sse');
    expect([window.size, window.bytes, window.entry(2), window.entry(3)]).to.deep.equal([
      ...[0, 0],
      ...['below', undefined],
    ]);
    window.add([replaced(3, 'i1'), published(4)]);
    window.reset(positionIn(0, 3));
    window.add([published(1, 'i1'), published(2, 'i4')]);
    expect([numbers(window), withItem(window)]).to.deep.equal([
      [1, 2],
      [1, 2],
    ]);
  });

  it('keeps its order and its limit under any changes and frames', () => {
    const kinds = fc.constantFrom<'published' | 'retracted' | 'raised'>('published', 'retracted', 'raised');
    const changes = fc.record({ kind: kinds, id: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(3_000) });
    const steps = fc.array(
      fc.record({ adds: fc.array(changes, { maxLength: 5 }), frames: fc.array(fc.nat(20)) }),
      { maxLength: 30 },
    );
    const changeOf = (
      n: number,
      { kind, id, size }: { kind: string; id: string; size: number },
    ): StoredChange => {
      if (kind === 'raised') return raised(n);
      return kind === 'retracted' ? retracted(n, id) : replaced(n, id, { text: 'x'.repeat(size) });
    };
    fc.assert(
      fc.property(steps, (all) => {
        const window = windowAfter(0, 20_000);
        const latest = new Map<string, number>();
        let n = 0;
        for (const { adds, frames } of all) {
          window.add(
            adds.map((given) => {
              n += 1;
              if (given.kind !== 'raised') latest.set(given.id, n);
              return changeOf(n, given);
            }),
          );
          for (const back of frames) {
            const entry = window.entry(n - back);
            if (entry !== undefined && entry !== 'below') entry.messageFor(NO_FILTER)?.frame('sse');
          }
          expect(window.bytes).to.equal(sumOf(window));
          expect(window.bytes <= 20_000 || window.size === 1).to.equal(true);
          expect(numbers(window).at(-1) ?? 0).to.equal(n);
          for (const one of withItem(window)) expect([...latest.values()]).to.include(one);
        }
      }),
      runs(200),
    );
  });

  it('finds its changes by number, however many it has removed', () => {
    const window = windowAfter(0, 200_000);
    for (let n = 1; n <= 50_000; n += 1) window.add([retracted(n, `i${n % 7}`)]);
    expect(window.size).to.be.within(400, 500);
    expect(numbers(window).at(-1)).to.equal(50_000);
    expect(window.entry(50_000 - window.size)).to.equal('below');
  });
});
