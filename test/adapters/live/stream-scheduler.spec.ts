import { setImmediate as nextImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { StreamScheduler } from '../../../src/adapters/live/stream-scheduler.js';
import type { Progress } from '../../../src/domain/feed/stream-position.js';
import { positionIn } from '../../support/live/stored-changes.js';

const STREAMS = 100;

type Each = { readonly n: number; isWaiting: boolean; progress: Progress | 'head' };

describe('The turns of streams', () => {
  let ms: number;
  /** What each read of the clock advances it by. A slice is 2 ms. */
  let clockMs: number;
  let streams: readonly Each[];
  let unready: Set<Each>;
  let stepped: number[];
  let faults: unknown[];
  let onStep: (stream: Each) => void;
  let scheduler: StreamScheduler<Each>;
  beforeEach(() => {
    [ms, clockMs, unready, stepped, faults, onStep] = [0, 1, new Set(), [], [], () => {}];
    streams = Array.from({ length: STREAMS }, (_, n) => ({ n, isWaiting: false, progress: 'head' }));
    scheduler = new StreamScheduler<Each>({
      isReady: (stream) => !unready.has(stream),
      step: (stream) => {
        stepped.push(stream.n);
        onStep(stream);
      },
      failed: (_, fault) => void faults.push(fault),
      monotonicClock: () => {
        ms += clockMs;
        return ms;
      },
    });
  });

  const wakeAll = () => {
    for (const stream of streams) scheduler.wake(stream);
  };
  const settle = async () => {
    for (let i = 0; i < STREAMS; i += 1) await nextImmediate();
  };
  const all = Array.from({ length: STREAMS }, (_, n) => n);

  it('come in order, all of them, over several slices', async () => {
    wakeAll();
    await nextImmediate();
    expect(stepped.length).to.be.within(1, STREAMS - 1);
    await settle();
    expect(stepped).to.deep.equal(all);
    expect(streams.some(({ isWaiting }) => isWaiting)).to.equal(false);
  });

  it('are lost by a stream that can no longer be written to when its turn comes', async () => {
    wakeAll();
    await nextImmediate();
    const next = streams[stepped.length];
    if (next !== undefined) unready.add(next);
    await settle();
    expect(stepped).to.deep.equal(all.filter((n) => n !== next?.n));
  });

  it('do not end because many streams before them cannot be written to', async () => {
    clockMs = 0;
    for (const stream of streams.slice(0, -1)) unready.add(stream);
    wakeAll();
    await nextImmediate();
    expect(stepped).to.deep.equal([STREAMS - 1]);
  });

  it('leave the event loop to others, also if no stream can be written to', async () => {
    for (const stream of streams.slice(0, -1)) unready.add(stream);
    wakeAll();
    await nextImmediate();
    expect(stepped).to.deep.equal([]);
    await settle();
    expect(stepped).to.deep.equal([STREAMS - 1]);
  });

  it('come again for a stream that is woken in its turn, and once for one that waits', async () => {
    const [first, second] = streams as readonly [Each, Each];
    onStep = (stream) => {
      if (stepped.length === 1) {
        scheduler.wake(stream);
        scheduler.wake(second);
      }
    };
    scheduler.wake(first);
    scheduler.wake(second);
    scheduler.wake(second);
    await settle();
    expect(stepped).to.deep.equal([0, 1, 0]);
  });

  it('end with the progress from before if they fail, and the others go on', async () => {
    clockMs = 0;
    const fault = new Error('of the test');
    onStep = (stream) => {
      if (stream.n !== 3) return;
      stream.progress = { of: 'log', position: positionIn(1) };
      throw fault;
    };
    wakeAll();
    await settle();
    expect([stepped, faults, streams[3]?.progress]).to.deep.equal([all, [fault], 'head']);
  });
});
