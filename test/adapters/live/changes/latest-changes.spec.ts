import { expect } from 'chai';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import { LatestChanges } from '../../../../src/adapters/live/changes/latest-changes.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { published, raised, replaced, retracted } from '../../../support/live/stored-changes.js';

/** Adds entries in this order. Returns the numbers of those that still have their item. */
function kept(changes: readonly StoredChange[], then: (latest: LatestChanges) => void = () => {}) {
  const latest = new LatestChanges();
  const entries = changes.map((change) => new ChangeEntry(change, 0));
  for (const entry of entries) latest.add(entry);
  then(latest);
  return entries.flatMap(({ n, change }) => ('item' in change && change.item !== null ? [n] : []));
}

describe('The latest changes of items', () => {
  const [first, second, other] = [published(1, 'a'), replaced(2, 'a'), published(3, 'b')] as const;

  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [string, readonly StoredChange[], readonly number[]])[] = [
    ['a later change, added after it',          [first, second, other],              [2, 3]],
    ['a later change, added before it',         [second, other, first],              [2, 3]],
    ['a later retraction, added after it',      [first, other, retracted(4, 'a')],   [3]],
    ['a later retraction, added before it',     [retracted(4, 'a'), first, other],   [3]],
    ['none of three, added in the middle last', [first, replaced(5, 'a'), second],   [5]],
    ['no change of another item',               [first, other, raised(4)],           [1, 3]],
  ];
  for (const [name, changes, left] of rows) {
    it(`supersede a change by ${name}`, () => {
      expect(kept(changes)).to.deep.equal(left);
    });
  }

  it('are superseded by changes that are not among them, if these are later', () => {
    expect(kept([first, other], (latest) => latest.supersede('a', 2))).to.deep.equal([3]);
    expect(kept([first, other], (latest) => latest.supersede('a', 1))).to.deep.equal([1, 3]);
    expect(kept([first, other], (latest) => latest.supersede('c', 9))).to.deep.equal([1, 3]);
  });

  it('do not include entries that were removed', () => {
    const removed = new ChangeEntry(first, 0);
    const latest = new LatestChanges();
    latest.add(removed);
    latest.remove(removed);
    latest.supersede('a', 9);
    expect(removed.change).to.deep.equal(first);
    latest.add(removed);
    latest.clear();
    latest.supersede('a', 9);
    expect(removed.change).to.deep.equal(first);
  });

  it('stay if an earlier entry of the same item is removed', () => {
    const [earlier, later] = [new ChangeEntry(first, 0), new ChangeEntry(second, 0)];
    const latest = new LatestChanges();
    latest.add(earlier);
    latest.add(later);
    latest.remove(earlier);
    latest.supersede('a', 9);
    expect(later.change).to.deep.include({ item: null });
  });
});
