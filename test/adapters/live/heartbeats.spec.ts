import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { Heartbeats } from '../../../src/adapters/live/heartbeats.js';

const INTERVAL_MS = 1_000;
const LONG_INTERVAL_MS = 15_000;
const TICK_MS = 250;
/** A heartbeat may come this much early, and the one before it too. */
const EARLY_MS = 1_000;
const STREAMS = 10;

describe('The heartbeats of streams', () => {
  let timers: sinon.SinonFakeTimers;
  let heartbeats: Heartbeats<{ heartbeatGroup: number }>;
  let due: { heartbeatGroup: number }[];
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    due = [];
    heartbeats = new Heartbeats(INTERVAL_MS, (streams) => void due.push(...streams));
    heartbeats.start();
  });
  afterEach(() => {
    heartbeats.stop();
    timers.restore();
  });

  const added = () => {
    const stream = { heartbeatGroup: 0 };
    heartbeats.add(stream);
    return stream;
  };
  const dueWithin = (ms: number) => {
    due.length = 0;
    timers.tick(ms);
    return due;
  };

  it('are due once in each interval for each stream', () => {
    const streams = Array.from({ length: STREAMS }, added);
    for (let interval = 0; interval < 3; interval += 1) {
      expect(dueWithin(INTERVAL_MS)).to.have.members(streams);
    }
  });

  it('come earlier with changes, but never later than the interval', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 200, maxLength: 200 }), (changesAtTicks) => {
        const beats = new Map<object, number[]>();
        let ms = 0;
        const beating = new Heartbeats<{ heartbeatGroup: number }>(LONG_INTERVAL_MS, (streams) => {
          for (const stream of streams) beats.get(stream)?.push(ms);
        });
        beating.start();
        for (const changes of changesAtTicks) {
          const stream = { heartbeatGroup: 0 };
          if (beats.size < STREAMS) {
            beats.set(stream, [ms]);
            beating.add(stream);
          }
          for (let change = 0; change < changes; change += 1) beating.early();
          ms += TICK_MS;
          timers.tick(TICK_MS);
        }
        beating.stop();
        for (const times of beats.values()) {
          const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
          for (const gap of gaps) expect(gap).to.be.at.most(LONG_INTERVAL_MS);
          for (const gap of gaps.slice(1)) expect(gap).to.be.at.least(LONG_INTERVAL_MS - 2 * EARLY_MS);
          expect(ms - (times.at(-1) ?? 0)).to.be.at.most(LONG_INTERVAL_MS);
        }
      }),
    );
  });

  it('of a change are those that would be due within a second', () => {
    const beating = new Heartbeats<{ heartbeatGroup: number }>(LONG_INTERVAL_MS, (streams) => {
      due.push(...streams);
    });
    const streams = Array.from({ length: 56 }, () => {
      const stream = { heartbeatGroup: 0 };
      beating.add(stream);
      return stream;
    });
    beating.early();
    beating.early();
    expect(due).to.deep.equal(streams.slice(0, EARLY_MS / TICK_MS));
  });

  it('forget a stream that has ended', () => {
    const streams = Array.from({ length: STREAMS }, added);
    dueWithin(INTERVAL_MS);
    for (const ended of streams.splice(0, STREAMS / 2)) heartbeats.remove(ended);
    expect(dueWithin(INTERVAL_MS)).to.have.members(streams);
    for (const ended of streams) heartbeats.remove(ended);
    expect(dueWithin(2 * INTERVAL_MS)).to.deep.equal([]);
  });
});
