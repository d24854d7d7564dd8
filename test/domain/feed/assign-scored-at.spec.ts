import { expect } from 'chai';
import fc from 'fast-check';
import { assignScoredAt, isFuture, type PublishMode } from '../../../src/domain/feed/assign-scored-at.js';
import { MICROSECOND, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const µs = (n: number): Moment => plus(NOON, n * MICROSECOND);
const free = () => false;
const taken =
  (...times: readonly Moment[]) =>
  (at: Moment) =>
    times.includes(at);

describe('A live publication (D7)', () => {
  it('gets its own time if nothing was published before, and becomes the head (D7)', () => {
    expect(assignScoredAt(null, free, µs(0), 'live')).to.deep.equal({ at: µs(0), head: µs(0) });
  });

  it('gets its own time above the head (D7)', () => {
    expect(assignScoredAt(µs(0), free, µs(1), 'live')).to.deep.equal({ at: µs(1), head: µs(1) });
    expect(assignScoredAt(µs(0), free, µs(9), 'live')).to.deep.equal({ at: µs(9), head: µs(9) });
  });

  it('gets the microsecond above the head if its own time is not above the head (D7)', () => {
    for (const behind of [0, -1, -5_000_000]) {
      expect(assignScoredAt(µs(0), taken(µs(0)), µs(behind), 'live')).to.deep.equal({
        at: µs(1),
        head: µs(1),
      });
    }
  });

  it('is above the head even if the item at the head is gone (D7)', () => {
    expect(assignScoredAt(µs(0), free, µs(0), 'live').at).to.equal(µs(1));
  });
});

describe('A backfill (D7)', () => {
  it('keeps its own time below the head (D7)', () => {
    expect(assignScoredAt(µs(0), free, µs(-7), 'backfill')).to.deep.equal({ at: µs(-7), head: µs(0) });
  });

  it('raises the head if its time is above it (D7)', () => {
    expect(assignScoredAt(µs(0), free, µs(7), 'backfill')).to.deep.equal({ at: µs(7), head: µs(7) });
    expect(assignScoredAt(null, free, µs(7), 'backfill')).to.deep.equal({ at: µs(7), head: µs(7) });
  });

  it('moves up by microseconds until its time is free (D6)', () => {
    const isTaken = taken(µs(0), µs(1), µs(3));
    expect(assignScoredAt(µs(3), isTaken, µs(0), 'backfill').at).to.equal(µs(2));
    expect(assignScoredAt(µs(3), isTaken, µs(3), 'backfill')).to.deep.equal({ at: µs(4), head: µs(4) });
    expect(assignScoredAt(µs(3), isTaken, µs(-1), 'backfill').at).to.equal(µs(-1));
  });
});

describe('Any publications, live and backfilled, of new and of existing items, with retractions (D6, D7)', () => {
  type Move = { readonly id: string; readonly offset: number; readonly mode: PublishMode | 'retract' };
  const moves = fc.array(
    fc.record<Move>({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      offset: fc.integer({ min: -6, max: 6 }),
      mode: fc.constantFrom('live', 'live', 'backfill', 'retract'),
    }),
    { maxLength: 40 },
  );

  /** After each publication: the feed, the head before and after, and the assigned time. */
  function* played(some: readonly Move[]) {
    const feed = new Map<string, Moment>();
    let head: Moment | null = null;
    for (const { id, offset, mode } of some) {
      feed.delete(id);
      if (mode === 'retract') continue;
      const before: Moment | null = head;
      const assigned = assignScoredAt(before, taken(...feed.values()), µs(offset), mode);
      feed.set(id, assigned.at);
      head = assigned.head;
      yield { feed, before, at: assigned.at, head: assigned.head, wanted: µs(offset), mode };
    }
  }

  it('keep every `scored_at` unique (D6)', () => {
    fc.assert(
      fc.property(moves, (some) => {
        for (const { feed } of played(some)) expect(new Set(feed.values()).size).to.equal(feed.size);
      }),
      runs(200),
    );
  });

  it('never lower the head, and no item is above it (D7)', () => {
    fc.assert(
      fc.property(moves, (some) => {
        for (const { feed, before, head } of played(some)) {
          expect(before === null || head >= before).to.equal(true);
          for (const at of feed.values()) expect(at <= head).to.equal(true);
        }
      }),
      runs(200),
    );
  });

  it('never assign a live item a time at or below the head, nor any item a time before its own (D7)', () => {
    fc.assert(
      fc.property(moves, (some) => {
        for (const { before, at, wanted, mode } of played(some)) {
          expect(at >= wanted).to.equal(true);
          if (mode === 'live' && before !== null) expect(at > before).to.equal(true);
        }
      }),
      runs(200),
    );
  });
});

describe('A `scored_at` in the future (D7)', () => {
  it('is more than 5 seconds ahead of the clock, to the microsecond (D7)', () => {
    expect(isFuture(NOON, NOON)).to.equal(false);
    expect(isFuture(plus(NOON, 5 * SECOND), NOON)).to.equal(false);
    expect(isFuture(plus(NOON, 5 * SECOND + MICROSECOND), NOON)).to.equal(true);
    expect(isFuture(plus(NOON, -60 * SECOND), NOON)).to.equal(false);
  });
});
