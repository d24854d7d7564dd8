import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import type { FeedState } from '../../../../src/adapters/postgres/feed/feed-queries.js';
import { replicatedPages } from '../../../../src/adapters/postgres/feed/replicated-pages.js';
import type {
  FeedPageSnapshot,
  FeedRange,
  ListedItem,
} from '../../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import type { Mark } from '../../../../src/domain/feed/position.js';
import { MICROSECOND, type Moment, plus } from '../../../../src/domain/moment.js';
import { NOON, runs } from '../../../support/objects/builders.js';

const at = (micros: number) => plus(NOON, micros * MICROSECOND);
const item = (id: string, micros: number): ListedItem => ({
  id,
  scoredAt: at(micros),
  subMarketIds: [],
  json: Buffer.from(JSON.stringify(id)),
});
const BELOW = (before: Moment, count = 3): FeedRange => ({
  before,
  since: null,
  newsId: null,
  marketId: null,
  terms: [],
  count,
});

/** A database: a feed, and its row of state. Databases with the same history have the same marks of their changes. */
class Database {
  #marks = 0;
  #history = '';
  readonly feed = new MemoryFeedStore(() => this.#mark());
  lastPastChange = 0;
  reads = 0;

  /** From now on, this database has changes that no other one has. */
  diverge(): void {
    this.#history = 'f';
  }

  #mark(): Mark {
    this.#marks += 1;
    return `${this.#history}${this.#marks.toString(16)}`.padStart(16, '0');
  }

  async write(change: Step): Promise<void> {
    const before = await this.state();
    if (change.mode === 'retract') {
      if (await this.feed.retract(change.id)) this.lastPastChange = (await this.state()).lastChange;
      return;
    }
    const known = (await this.feed.find([change.id])).items.length > 0;
    const [published] = await this.feed.publish([item(change.id, change.micros)], change.mode);
    const isChange = published?.outcome === 'accepted';
    if (isChange && (known || change.mode === 'backfill')) this.lastPastChange = before.lastChange + 1;
  }

  async state(): Promise<FeedState> {
    return this.#stateOf(await this.feed.page(BELOW(NOON, 1)));
  }

  readonly stateAt = async (n: number) => {
    return { ...(await this.state()), at: this.feed.log.range(n, 1)[0]?.position ?? null };
  };

  readonly read = async (range: FeedRange) => {
    this.reads += 1;
    const page = await this.feed.page(range);
    return { ...page, ...this.#stateOf(page) };
  };

  #stateOf({ head, position }: FeedPageSnapshot): FeedState {
    const { lastPastChange } = this;
    return { head, lastChange: position.n, lastPastChange, position };
  }
}

type Step = { readonly mode: 'live' | 'backfill' | 'retract'; readonly id: string; readonly micros: number };

/** An unavailable replica is not reported. Any other error is, and fails the test. */
const raise = (fault: unknown) => {
  throw fault;
};

describe('A feed with replicas', () => {
  /** A replica that lacks the last `behind` steps of its primary, and has other ones instead. */
  const pair = async (steps: readonly Step[], behind: number, others: readonly Step[] = []) => {
    const [primary, replica] = [new Database(), new Database()];
    for (const step of steps) await primary.write(step);
    for (const step of steps.slice(0, steps.length - behind)) await replica.write(step);
    replica.diverge();
    for (const step of others) await replica.write(step);
    const feed = replicatedPages(primary.feed, primary.stateAt, [replica.read], raise);
    return { primary, replica, feed };
  };
  const threeItems: readonly Step[] = [
    { mode: 'live', id: 'a', micros: 1 },
    { mode: 'live', id: 'b', micros: 2 },
    { mode: 'live', id: 'c', micros: 3 },
  ];

  const step = fc.record({
    mode: fc.constantFrom('live' as const, 'live' as const, 'backfill' as const, 'retract' as const),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    micros: fc.nat(12),
  });

  it('never skips, repeats or shows retracted items below a cursor, however far a replica lags', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.nat(20),
      fc.integer({ min: -1, max: 30 }),
      async (steps, behind, before) => {
        const { primary, feed } = await pair(steps, Math.min(behind, steps.length));
        const range = BELOW(at(before));
        const { version: _, ...page } = await primary.feed.page(range);
        expect(await feed.page(range)).to.deep.include(page);
      },
    );
    await fc.assert(property, runs(500));
  });

  it('has the pages of its primary if a replica has another history, with any number of changes (D45)', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.nat(12),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: -1, max: 30 }),
      async (steps, behind, others, before) => {
        const { primary, feed } = await pair(steps, Math.min(behind, steps.length), others);
        const range = BELOW(at(before));
        expect((await feed.page(range)).items).to.deep.equal((await primary.feed.page(range)).items);
      },
    );
    await fc.assert(property, runs(500));
  });

  it('reads a page from the primary if its log does not have the last change of the replica any more', async () => {
    const { replica, primary, feed } = await pair(threeItems, 1);
    primary.feed.log.removeOldest(3);
    expect((await feed.page(BELOW(at(2)))).head).to.equal(at(3));
    expect(replica.reads).to.equal(1);
  });

  it('reads a page below a cursor from a replica that lacks only items above the cursor', async () => {
    const { replica, primary, feed } = await pair(threeItems, 1);
    const { items, head } = await feed.page(BELOW(at(2)));
    expect([items.map(({ id }) => id), head]).to.deep.equal([['a'], at(3)]);
    expect(replica.reads).to.equal(1);
    await primary.write({ mode: 'retract', id: 'a', micros: 0 });
    expect((await feed.page(BELOW(at(2)))).items).to.deep.equal([]);
  });

  it('reads a page without a cursor from the primary', async () => {
    const { replica, feed } = await pair(threeItems, 2);
    const { items } = await feed.page({ ...BELOW(at(9)), before: null });
    expect(items).to.have.length(3);
    expect(replica.reads).to.equal(0);
  });

  it('uses replicas round robin, and reads from the primary if one is unavailable', async () => {
    const { primary, replica } = await pair(threeItems, 0);
    let failures = 0;
    const unavailable = async () => {
      failures += 1;
      throw new Unavailable('the replica');
    };
    const feed = replicatedPages(primary.feed, primary.stateAt, [replica.read, unavailable], raise);
    for (let i = 0; i < 6; i += 1) expect((await feed.page(BELOW(at(3)))).items).to.have.length(2);
    expect([replica.reads, failures]).to.deep.equal([3, 3]);
  });

  it('reports any other error of a replica, and reads from the primary', async () => {
    const { primary } = await pair(threeItems, 0);
    const bug = new Error('no such table');
    const reported: unknown[] = [];
    const faulty = () => Promise.reject(bug);
    const feed = replicatedPages(primary.feed, primary.stateAt, [faulty], (fault) => reported.push(fault));
    expect((await feed.page(BELOW(at(3)))).items).to.have.length(2);
    expect(reported).to.deep.equal([bug]);
  });
});
