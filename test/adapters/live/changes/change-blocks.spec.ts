import { expect } from 'chai';
import { ChangeBlocks } from '../../../../src/adapters/live/changes/change-blocks.js';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';
import { publishedFrom, replaced } from '../../../support/live/stored-changes.js';
import { nextImmediate } from '../../../support/next-immediate.js';

const MEGABYTE = 1_000_000;

type Read = { readonly first: number; readonly count: number; readonly answer: () => void };

/** Blocks over a log of publications. Each read waits until the test answers it, unless `answersAtOnce` is set. */
class Fixture {
  newest: number;
  oldest = 0;
  log = 1;
  text = '';
  /** The most bytes of a read. */
  readBytes = Number.POSITIVE_INFINITY;
  answersAtOnce = true;
  fault: Error | null = null;
  rename: (change: StoredChange) => StoredChange = (change) => change;
  readonly reads: Read[] = [];
  mostAtOnce = 0;
  #running = 0;
  readonly blocks: ChangeBlocks;

  constructor(newest: number, maxBytes = 10 * MEGABYTE) {
    this.newest = newest;
    this.blocks = new ChangeBlocks({
      read: (first, count) => this.#read(first, count),
      newest: () => this.newest,
      now: () => 77,
      maxBytes,
    });
  }

  /** The ranges that were read. */
  get ranges(): readonly string[] {
    return this.reads.map(({ first, count }) => `${first}+${count}`);
  }

  async #read(first: number, count: number): Promise<readonly StoredChange[]> {
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    const { log, text } = this;
    const changes = publishedFrom(first, count, { log, text });
    await new Promise<void>((answer) => {
      this.reads.push({ first, count, answer });
      if (this.answersAtOnce) setImmediate(answer);
    });
    this.#running -= 1;
    if (this.fault !== null) throw this.fault;
    const kept = changes.filter(({ position }) => position.n >= this.oldest).map(this.rename);
    const sizes = kept.map((change) => ('item' in change ? (change.item?.json.length ?? 0) : 0));
    return kept.filter((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0) < this.readBytes);
  }

  /** The number of the found change, and whether it has its item. */
  async found(n: number): Promise<string | undefined> {
    const entry = await this.blocks.entry(n);
    if (!(entry instanceof ChangeEntry)) return entry;
    return 'item' in entry.change && entry.change.item !== null ? `${entry.n}` : `${entry.n} without item`;
  }

  isCached = (n: number): boolean => !(this.blocks.entry(n) instanceof Promise);
}

describe('The blocks of older changes', () => {
  it('are read by a hundred, aligned by number, and then found at once', async () => {
    const all = new Fixture(1_000);
    expect(await all.found(150)).to.equal('150');
    expect(all.ranges).to.deep.equal(['101+100']);
    for (const n of [101, 150, 200]) expect(all.blocks.entry(n)).to.include({ n, at: 77 });
    expect([await all.found(100), await all.found(201), await all.found(0)]).to.deep.equal([
      '100',
      '201',
      '0',
    ]);
    expect(all.ranges).to.deep.equal(['101+100', '1+100', '201+100', '-99+100']);
  });

  it('are read once for all callers, and at most two at a time', async () => {
    const all = new Fixture(20_000, 100 * MEGABYTE);
    const numbers = Array.from({ length: 5_000 }, (_, i) => ((i * 7_919) % 20_000) + 1);
    const found = await Promise.all(numbers.map((n) => all.found(n)));
    expect(found).to.deep.equal(numbers.map(String));
    expect(new Set(all.ranges).size).to.equal(all.reads.length);
    expect(all.reads.length).to.be.at.most(200);
    expect(all.mostAtOnce).to.equal(2);
  });

  it('are not read beyond the newest change that this process has applied', async () => {
    const all = new Fixture(150);
    expect([await all.found(151), all.reads.length]).to.deep.equal([undefined, 0]);
    expect([await all.found(150), await all.found(101)]).to.deep.equal(['150', '101']);
    expect(all.ranges).to.deep.equal(['101+50']);
    all.newest = 180;
    expect([await all.found(101), all.reads.length]).to.deep.equal(['101', 1]);
    expect([await all.found(160), await all.found(180)]).to.deep.equal(['160', '180']);
    expect(all.ranges).to.deep.equal(['101+50', '101+80']);
  });

  it('are read again for a change that was applied after the read under way began', async () => {
    const all = new Fixture(150);
    all.answersAtOnce = false;
    const early = all.found(120);
    await nextImmediate();
    all.newest = 180;
    const late = all.found(170);
    all.reads[0]?.answer();
    expect(await early).to.equal('120');
    await nextImmediate();
    all.reads[1]?.answer();
    expect(await late).to.equal('170');
    expect(all.ranges).to.deep.equal(['101+50', '101+80']);
  });

  it('tell that a change is gone if the log no longer has it', async () => {
    const all = new Fixture(1_000);
    all.oldest = 150;
    expect(await Promise.all([101, 149, 150, 200].map((n) => all.found(n)))).to.deep.equal([
      ...['gone', 'gone', '150', '200'],
    ]);
    expect(await all.found(30)).to.equal('gone');
    expect(all.isCached(30)).to.equal(true);
  });

  it('drop the item of a change that a later change supersedes (D50)', async () => {
    const all = new Fixture(1_000);
    await all.found(150);
    all.blocks.supersede('i150', 1_001);
    all.blocks.supersede('i151', 151);
    expect([await all.found(150), await all.found(151), await all.found(152)]).to.deep.equal([
      ...['150 without item', '151', '152'],
    ]);
  });

  it('drop the items of changes that are superseded while they are read', async () => {
    const all = new Fixture(1_000);
    all.answersAtOnce = false;
    const reading = Promise.all([150, 151, 152].map((n) => all.found(n)));
    await nextImmediate();
    all.blocks.supersede('i150', 1_001);
    all.blocks.supersede('i151', 151);
    all.reads[0]?.answer();
    expect(await reading).to.deep.equal(['150 without item', '151', '152']);
  });

  it('do not drop an item that was superseded before its read began: the log has the state after that', async () => {
    const all = new Fixture(1_000);
    all.blocks.supersede('i150', 900);
    expect(await all.found(150)).to.equal('150');
  });

  it('have an item with one of its changes only, if they were read at different times', async () => {
    const both = (first: number, id: string, count: number) =>
      Array.from({ length: count }, (_, i) => replaced(first + i, i === 0 ? id : `other${first + i}`));
    const blocks = new ChangeBlocks({
      read: async (first, count) => both(first, 'same', count),
      newest: () => 1_000,
      now: () => 0,
      maxBytes: MEGABYTE,
    });
    await blocks.entry(201);
    await blocks.entry(101);
    await blocks.entry(301);
    const items = [101, 201, 301].map((n) => {
      const entry = blocks.entry(n);
      return entry instanceof ChangeEntry && 'item' in entry.change && entry.change.item !== null;
    });
    expect(items).to.deep.equal([false, false, true]);
  });

  it('are dropped when they take too many bytes, the least used ones first', async () => {
    const all = new Fixture(1_000, 350_000);
    all.text = 'x'.repeat(500);
    for (const n of [1, 101, 201, 1, 301]) await all.found(n);
    expect(all.reads).to.have.length(4);
    expect([1, 201, 301].map(all.isCached)).to.deep.equal([true, true, true]);
    expect(all.isCached(101)).to.equal(false);
    expect(all.blocks.bytes).to.be.within(250_000, 350_000);
  });

  it('count the frames of their messages', async () => {
    const all = new Fixture(1_000, 400_000);
    all.text = 'x'.repeat(500);
    for (const n of [1, 101, 201]) await all.found(n);
    const before = all.blocks.bytes;
    for (let n = 201; n <= 300; n += 1) {
      const entry = all.blocks.entry(n);
      if (entry instanceof ChangeEntry) entry.messageFor(NO_FILTER)?.frame('sse');
    }
    expect([1, 101].map(all.isCached)).to.include(false);
    expect(all.blocks.bytes).to.be.within(before * 0.8, 400_000);
    expect(all.isCached(201)).to.equal(true);
  });

  it('refer no longer to changes that were dropped, and do not count frames that are made later', async () => {
    const all = new Fixture(1_000, 100_000);
    all.text = 'x'.repeat(400);
    const entry = await all.blocks.entry(150);
    await all.found(250);
    const before = all.blocks.bytes;
    all.blocks.supersede('i150', 1_001);
    const message = entry instanceof ChangeEntry ? entry.messageFor(NO_FILTER) : null;
    expect(message?.frame('sse').length).to.be.greaterThan(400);
    expect(all.blocks.bytes).to.equal(before);
    expect([all.isCached(150), all.isCached(250)]).to.deep.equal([false, true]);
  });

  it('keep the block that was used last, even if it is larger than the limit', async () => {
    const all = new Fixture(1_000, 100_000);
    all.text = 'x'.repeat(5_000);
    await all.found(150);
    await all.found(151);
    expect(all.ranges).to.deep.equal(['101+100']);
    await all.found(250);
    expect([all.isCached(150), all.isCached(250)]).to.deep.equal([false, true]);
  });

  it('are read again after a reset, also those that were being read', async () => {
    const all = new Fixture(1_000);
    await all.found(50);
    all.answersAtOnce = false;
    const reading = [150, 250, 350].map((n) => all.blocks.entry(n));
    await nextImmediate();
    all.log = 2;
    all.newest = 300;
    all.blocks.reset();
    for (let i = 1; i < 10; i += 1) {
      all.reads[i]?.answer();
      await nextImmediate();
    }
    const found = await Promise.all(reading);
    const logs = found.map((entry) => (entry instanceof ChangeEntry ? entry.position : entry));
    const [first, second] = publishedFrom(150, 101, { log: 2 }).filter((_, i) => i % 100 === 0);
    expect(logs).to.deep.equal([first?.position, second?.position, undefined]);
    expect(all.isCached(50)).to.equal(false);
  });

  it('keep the items of changes whose ids had later changes before a reset', async () => {
    const all = new Fixture(1_000);
    await all.found(550);
    all.blocks.reset();
    all.rename = (change) => ('id' in change && change.id === 'i150' ? { ...change, id: 'i550' } : change);
    expect(await all.found(150)).to.equal('150');
  });

  it('throw for all callers if a read fails, and are read again by the next one', async () => {
    const all = new Fixture(1_000);
    all.fault = new Unavailable('the store');
    const faults = await Promise.all(
      [150, 160, 250, 350].map((n) => all.found(n).catch((fault: unknown) => fault)),
    );
    expect(faults).to.deep.equal([all.fault, all.fault, all.fault, all.fault]);
    expect(all.reads).to.have.length(3);
    all.fault = null;
    expect(await Promise.all([150, 250, 350].map((n) => all.found(n)))).to.deep.equal(['150', '250', '350']);
    expect(all.mostAtOnce).to.equal(2);
  });
});
