import { expect } from 'chai';
import sinon from 'sinon';
import { Heartbeats } from '../../../src/adapters/live/heartbeats.js';

const INTERVAL_MS = 1_000;
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

  it('forget a stream that has ended', () => {
    const streams = Array.from({ length: STREAMS }, added);
    dueWithin(INTERVAL_MS);
    for (const ended of streams.splice(0, STREAMS / 2)) heartbeats.remove(ended);
    expect(dueWithin(INTERVAL_MS)).to.have.members(streams);
    for (const ended of streams) heartbeats.remove(ended);
    expect(dueWithin(2 * INTERVAL_MS)).to.deep.equal([]);
  });
});
