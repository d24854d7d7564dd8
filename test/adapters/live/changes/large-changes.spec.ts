import { expect } from 'chai';
import fc from 'fast-check';
import { ChangeBlocks } from '../../../../src/adapters/live/changes/change-blocks.js';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';
import { published } from '../../../support/live/stored-changes.js';

const ITEM_MAX = 4_000;
const READ_MAX = 20_000;
/** More than one read returns, with what its entries and frames take. */
const MAX = 200_000;

const jsonBytes = (change: StoredChange): number => ('item' in change ? (change.item?.json.length ?? 0) : 0);

/** Blocks over a log of items with texts of these lengths. A superseded change has no item in later reads. */
class LargeChanges {
  readonly changes: StoredChange[];
  newest: number;
  /** The bytes of the items of each read. */
  readonly reads: number[] = [];
  readonly blocks: ChangeBlocks;

  constructor(lengths: readonly number[], maxBytes = MAX) {
    this.changes = lengths.map((length, i) => published(i + 1, `i${i + 1}`, { text: 'x'.repeat(length) }));
    this.newest = Math.ceil(lengths.length / 2);
    this.blocks = new ChangeBlocks({
      read: async (first, count) => this.#read(first, count),
      newest: () => this.newest,
      now: () => 0,
      maxBytes,
    });
  }

  supersede(n: number): void {
    const change = this.changes[n - 1];
    if (change !== undefined && 'item' in change) this.changes[n - 1] = { ...change, item: null };
    this.blocks.supersede(`i${n}`, this.changes.length + 1);
  }

  #read(first: number, count: number): readonly StoredChange[] {
    let bytes = 0;
    const found = this.changes
      .slice(Math.max(0, first - 1), Math.max(0, first - 1 + count))
      .filter((change) => {
        const isIncluded = bytes < READ_MAX;
        if (isIncluded) bytes += jsonBytes(change);
        return isIncluded;
      });
    this.reads.push(bytes);
    return found;
  }
}

type Step = { readonly does: 'find' | 'show' | 'supersede' | 'follow' | 'reset'; readonly at: number };

const steps = fc.array(
  fc.record({
    does: fc.constantFrom<Step['does'][]>('find', 'find', 'show', 'show', 'supersede', 'follow', 'reset'),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 20, maxLength: 60 },
);
const lengths = fc.array(fc.oneof(fc.constant(10), fc.integer({ min: 0, max: ITEM_MAX })), {
  minLength: 1,
  maxLength: 350,
  size: 'max',
});

describe('The blocks of large changes', () => {
  it('take no more bytes than they may, and have every change as it is', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, steps, async (texts, actions) => {
        const all = new LargeChanges(texts);
        for (const { does, at } of actions) {
          const n = 1 + Math.floor(at * (texts.length - 1));
          if (does === 'reset') all.blocks.reset();
          else if (does === 'follow') all.newest = Math.max(all.newest, n);
          else if (does === 'supersede') all.supersede(n);
          else await find(all, n, does === 'show');
          expect(all.blocks.bytes).to.be.at.most(MAX);
        }
        for (const bytes of all.reads) expect(bytes).to.be.below(READ_MAX + ITEM_MAX + 100);
      }),
    );
  });

  async function find(all: LargeChanges, n: number, isShown: boolean): Promise<void> {
    const entry = await all.blocks.entry(n);
    if (n > all.newest) {
      expect(entry).to.equal(undefined);
      return;
    }
    if (!(entry instanceof ChangeEntry)) expect.fail(`change ${n} is ${entry}`);
    expect(entry.change).to.deep.equal(all.changes[n - 1]);
    if (isShown) entry.messageFor(NO_FILTER)?.frame('sse');
  }

  it('are read in blocks of ten, and one by one, only where they are large, once for all callers', async () => {
    const all = new LargeChanges(
      Array.from({ length: 300 }, (_, i) => (i < 100 ? 1_000 : i < 110 ? 4_000 : 10)),
    );
    all.newest = 300;
    const numbers = [...Array(300).keys()].map((i) => i + 1);
    const walk = () => Promise.all(numbers.map((n) => find(all, n, false)));
    await walk();
    // 1 + 10 blocks of ten of the first hundred; 1 + 10 of the second, of which one has ten single changes; and the third.
    expect(all.reads).to.have.length(1 + 10 + 1 + 10 + 10 + 1);
  });

  it('drop a block whose frames outgrow the limit, and read it again', async () => {
    const all = new LargeChanges(
      Array.from({ length: 100 }, () => 60),
      100_000,
    );
    all.newest = 100;
    for (let n = 1; n <= 100; n += 1) {
      const entry = await all.blocks.entry(n);
      if (!(entry instanceof ChangeEntry)) expect.fail('it is there');
      for (const form of ['sse', 'sse-gzip', 'ws', 'ws-deflate'] as const)
        entry.messageFor(NO_FILTER)?.frame(form);
      expect(all.blocks.bytes).to.be.at.most(100_000);
    }
    expect(all.reads.length).to.be.within(2, 4);
  });
});
