import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { Heartbeats } from '../../../src/adapters/live/heartbeats.js';

const TICK_MS = 250;
const INTERVAL_MS = 1_000;
const LONG_INTERVAL_MS = 15_000;
/** A heartbeat may come this much early, and the one before it too. */
const EARLY_MS = 1_000;
const STREAMS = 10;

type Member = { heartbeatGroup: number };

describe('The heartbeats of streams', () => {
  let timers: sinon.SinonFakeTimers;
  let ms: number;
  let due: Member[];
  let stops: (() => void)[];
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    ms = 0;
    due = [];
    stops = [];
  });
  afterEach(() => {
    for (const stop of stops) stop();
    timers.restore();
  });

  const started = (intervalMs: number, onDue: (stream: Member) => void = (stream) => due.push(stream)) => {
    const heartbeats = new Heartbeats<Member>(
      intervalMs,
      () => ms,
      (streams) => streams.forEach(onDue),
    );
    heartbeats.start();
    stops.push(() => heartbeats.stop());
    return heartbeats;
  };
  const added = (heartbeats: Heartbeats<Member>) => {
    const stream = { heartbeatGroup: 0 };
    heartbeats.add(stream);
    return stream;
  };
  const advance = (byMs: number) => {
    for (const end = ms + byMs; ms < end; ) {
      ms += TICK_MS;
      timers.tick(TICK_MS);
    }
  };
  const dueWithin = (byMs: number) => {
    due.length = 0;
    advance(byMs);
    return due;
  };

  it('are due once in each interval for each stream', () => {
    const heartbeats = started(INTERVAL_MS);
    const streams = Array.from({ length: STREAMS }, () => added(heartbeats));
    for (let interval = 0; interval < 3; interval += 1) {
      expect(dueWithin(INTERVAL_MS)).to.have.members(streams);
    }
  });

  it('come earlier with changes, but never later than the interval', () => {
    const step = fc.record({ changes: fc.nat({ max: 3 }), isAdded: fc.boolean(), isRemoved: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 200 }), (steps) => {
        const beats = new Map<Member, number[]>();
        const heartbeats = started(LONG_INTERVAL_MS, (stream) => void beats.get(stream)?.push(ms));
        for (const { changes, isAdded, isRemoved } of steps) {
          const [oldest] = beats.keys();
          if (isRemoved && oldest !== undefined && beats.size > STREAMS) {
            heartbeats.remove(oldest);
            beats.delete(oldest);
          }
          if (isAdded) beats.set(added(heartbeats), [ms]);
          for (let change = 0; change < changes; change += 1) heartbeats.early();
          advance(TICK_MS);
          for (const times of beats.values()) {
            const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
            for (const gap of [...gaps, ms - (times.at(-1) ?? 0)])
              expect(gap).to.be.at.most(LONG_INTERVAL_MS);
            for (const gap of gaps.slice(1))
              expect(gap).to.be.at.least(LONG_INTERVAL_MS - 2 * EARLY_MS - TICK_MS);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('of a change are those that would be due within a second', () => {
    const heartbeats = started(LONG_INTERVAL_MS);
    const streams = Array.from({ length: 50 }, () => added(heartbeats));
    heartbeats.early();
    heartbeats.early();
    expect(due).to.deep.equal(streams.slice(0, EARLY_MS / TICK_MS));
  });

  it('are on time again after a timer that was late, and once for each stream after a pause', () => {
    const heartbeats = started(LONG_INTERVAL_MS);
    const streams = Array.from({ length: 200 }, () => added(heartbeats));
    const late = 3 * TICK_MS;
    ms += late;
    timers.tick(TICK_MS);
    expect(new Set(due.map(({ heartbeatGroup }) => heartbeatGroup)).size).to.equal(3);
    due.length = 0;
    ms += 10 * LONG_INTERVAL_MS;
    timers.tick(TICK_MS);
    expect(due).to.have.lengthOf(streams.length).and.to.have.members(streams);
  });

  it('forget a stream that has ended', () => {
    const heartbeats = started(INTERVAL_MS);
    const streams = Array.from({ length: STREAMS }, () => added(heartbeats));
    dueWithin(INTERVAL_MS);
    for (const ended of streams.splice(0, STREAMS / 2)) heartbeats.remove(ended);
    expect(dueWithin(INTERVAL_MS)).to.have.members(streams);
    for (const ended of streams) heartbeats.remove(ended);
    expect(dueWithin(2 * INTERVAL_MS)).to.deep.equal([]);
  });
});
