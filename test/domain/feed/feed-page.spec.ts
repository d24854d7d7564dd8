import { expect } from 'chai';
import fc from 'fast-check';
import { assignScoredAt, type PublishMode } from '../../../src/domain/feed/assign-scored-at.js';
import { paginate, readCountFor, type Scored } from '../../../src/domain/feed/feed-page.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const µs = (n: number): Moment => plus(NOON, n * MICROSECOND);

type Item = Scored & { readonly id: string };

/** A minimal feed: a list, `assignScoredAt` and `paginate`. */
class Feed {
  items: readonly Item[] = [];
  head: Moment | null = null;

  publish(id: string, scoredAt: Moment, mode: PublishMode): void {
    const others = this.items.filter((item) => item.id !== id);
    const isTaken = (at: Moment) => others.some((item) => item.scoredAt === at);
    const assigned = assignScoredAt(this.head, isTaken, scoredAt, mode);
    this.head = assigned.head;
    this.items = [...others, { id, scoredAt: assigned.at }].sort((a, b) =>
      a.scoredAt > b.scoredAt ? -1 : 1,
    );
  }

  retract(id: string): void {
    this.items = this.items.filter((item) => item.id !== id);
  }

  page(limit: number, cursor: Moment | null, since: Moment | null = null) {
    const matching = this.items.filter(
      ({ scoredAt }) => (cursor === null || scoredAt < cursor) && (since === null || scoredAt >= since),
    );
    return paginate(matching.slice(0, readCountFor(limit)), limit);
  }

  /** Every item that a client gets that follows `next_cursor` to the end. */
  walk(limit: number, since: Moment | null = null, betweenPages = () => {}): readonly Item[] {
    const seen: Item[] = [];
    let cursor: Moment | null = null;
    do {
      const page = this.page(limit, cursor, since);
      expect(page.items.length).to.be.at.most(limit);
      expect(page.nextCursor === null || page.nextCursor === page.items.at(-1)?.scoredAt).to.equal(true);
      seen.push(...page.items);
      cursor = page.nextCursor;
      betweenPages();
    } while (cursor !== null);
    return seen;
  }
}

type Written = { readonly offset: number; readonly mode: PublishMode };
const writing = fc.array(
  fc.record<Written>({
    offset: fc.integer({ min: 0, max: 8 }),
    mode: fc.constantFrom('live', 'backfill', 'backfill'),
  }),
  { maxLength: 30 },
);
const limits = fc.integer({ min: 1, max: 9 });

function feedOf(written: readonly Written[]): Feed {
  const feed = new Feed();
  written.forEach(({ offset, mode }, i) => {
    feed.publish(`item-${i}`, µs(offset), mode);
  });
  return feed;
}

describe('A page of the feed (contract section 2.1, D8)', () => {
  const three = [2, 1, 0].map((n) => ({ scoredAt: µs(n) }));

  it('has as many items as requested, and the time of the last one as cursor while there are more (D8)', () => {
    expect(paginate(three, 2)).to.deep.equal({ items: three.slice(0, 2), nextCursor: µs(1) });
    expect(paginate(three, 1)).to.deep.equal({ items: three.slice(0, 1), nextCursor: µs(2) });
  });

  it('has no cursor if nothing older matches, even if it is full (D8)', () => {
    expect(paginate(three, 3)).to.deep.equal({ items: three, nextCursor: null });
    expect(paginate(three, 500)).to.deep.equal({ items: three, nextCursor: null });
  });

  it('without items has no cursor (D9)', () => {
    expect(paginate([], 50)).to.deep.equal({ items: [], nextCursor: null });
  });

  it('is read with one item more than it shows (D8)', () => {
    expect(readCountFor(50)).to.equal(51);
  });
});

describe('A walk through the pages (contract section 4)', () => {
  it('returns each item once, newest first, with any ties and any limit (D6, D8)', () => {
    fc.assert(
      fc.property(writing, limits, (written, limit) => {
        const feed = feedOf(written);
        expect(feed.walk(limit)).to.deep.equal(feed.items);
        expect(new Set(feed.items.map(({ id }) => id)).size).to.equal(written.length);
      }),
      runs(300),
    );
  });

  it('has no empty page: there are as many pages as the items fill (D8)', () => {
    fc.assert(
      fc.property(writing, limits, (written, limit) => {
        const feed = feedOf(written);
        let pages = 0;
        feed.walk(limit, null, () => {
          pages += 1;
        });
        expect(pages).to.equal(Math.max(1, Math.ceil(written.length / limit)));
      }),
      runs(100),
    );
  });

  it('with `since` returns exactly the items at or after it (D8)', () => {
    fc.assert(
      fc.property(writing, limits, fc.integer({ min: 0, max: 30 }), (written, limit, offset) => {
        const feed = feedOf(written);
        const since = µs(offset);
        expect(feed.walk(limit, since)).to.deep.equal(feed.items.filter((item) => item.scoredAt >= since));
      }),
      runs(200),
    );
  });

  type Between = {
    readonly what: 'publish' | 'publish again' | 'backfill' | 'retract';
    readonly pick: number;
    readonly offset: number;
  };
  const changes = fc.array(
    fc.array(
      fc.record<Between>({
        what: fc.constantFrom('publish', 'publish again', 'backfill', 'retract'),
        pick: fc.nat(40),
        offset: fc.integer({ min: -2, max: 40 }),
      }),
      { maxLength: 4 },
    ),
    { maxLength: 8 },
  );

  it('skips and repeats nothing while items are published and retracted between its pages (D6, D7)', () => {
    fc.assert(
      fc.property(writing, limits, changes, (written, limit, rounds) => {
        const feed = feedOf(written);
        const start = feed.items;
        const touched = new Set<string>();
        let named = 0;
        const pending = [...rounds];
        const seen = feed.walk(limit, null, () => {
          for (const { what, pick, offset } of pending.shift() ?? []) {
            const known = start[pick % Math.max(1, start.length)]?.id;
            named += 1;
            if (what === 'publish') feed.publish(`new-${named}`, µs(offset), 'live');
            else if (what === 'backfill') feed.publish(`new-${named}`, µs(offset), 'backfill');
            else if (known !== undefined) {
              touched.add(known);
              if (what === 'retract') feed.retract(known);
              else feed.publish(known, µs(offset), 'live');
            }
          }
        });

        const times = seen.map((item) => item.scoredAt);
        expect(times).to.deep.equal([...new Set(times)].sort().reverse());
        const ids = seen.map((item) => item.id);
        expect(new Set(ids).size).to.equal(ids.length);
        for (const { id } of start) if (!touched.has(id)) expect(ids).to.include(id);
      }),
      runs(400),
    );
  });
});

describe('A client that polls with the last head as `since` (D7, D8)', () => {
  it('misses no live publication, whatever is published and retracted in the meantime (D7)', () => {
    type Step = {
      readonly id: string;
      readonly offset: number;
      readonly what: 'publish' | 'retract' | 'poll';
    };
    const steps = fc.array(
      fc.record<Step>({
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        offset: fc.integer({ min: -5, max: 5 }),
        what: fc.constantFrom('publish', 'publish', 'retract', 'poll'),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, limits, (some, limit) => {
        const feed = new Feed();
        const seen = new Map<string, Moment>();
        let since: Moment | null = null;
        for (const { id, offset, what } of some) {
          if (what === 'publish') feed.publish(id, µs(offset), 'live');
          if (what === 'retract') feed.retract(id);
          if (what !== 'poll') continue;
          // The head is read before the page: `Feed-Head` is never later than the page (D8).
          const head: Moment | null = feed.head;
          for (const item of feed.walk(limit, since)) seen.set(item.id, item.scoredAt);
          since = head;
          for (const item of feed.items) expect(seen.get(item.id)).to.equal(item.scoredAt);
        }
      }),
      runs(300),
    );
  });
});
