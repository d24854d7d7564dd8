import { expect } from 'chai';
import { Throttle, throttled } from '../../../src/adapters/resilience/throttle.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { signal } from '../../support/service/composed.js';

describe('A throttle', () => {
  /** A port that records its calls. Each call ends when the test ends it. */
  const port = () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    return {
      begun,
      ends,
      ask: async (n: number): Promise<number> => {
        begun.push(n);
        const { sent, send } = signal();
        ends.push(send);
        await sent;
        if (n < 0) throw new Error('failed');
        return n;
      },
    };
  };

  it('runs the allowed number of calls at once, and the others in order', async () => {
    const one = port();
    const limited = throttled(one, new Throttle({ max: 2, waitingMax: 10 }));
    const answers = [1, 2, 3, 4].map((n) => limited.ask(n));
    await nextImmediate();
    expect(one.begun).to.deep.equal([1, 2]);
    one.ends[0]?.();
    await nextImmediate();
    expect(one.begun).to.deep.equal([1, 2, 3]);
    for (const end of [1, 2]) one.ends[end]?.();
    await nextImmediate();
    one.ends[3]?.();
    expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4]);
  });

  it('starts the next call when one fails, also of another port with the same throttle', async () => {
    const [one, other] = [port(), port()];
    const throttle = new Throttle({ max: 1, waitingMax: 10 });
    const failing = throttled(one, throttle)
      .ask(-1)
      .catch(() => 'failed');
    const waiting = throttled(other, throttle).ask(2);
    await nextImmediate();
    expect(other.begun).to.deep.equal([]);
    one.ends[0]?.();
    expect(await failing).to.equal('failed');
    await nextImmediate();
    other.ends[0]?.();
    expect(await waiting).to.equal(2);
    const again = throttled(one, throttle).ask(3);
    await nextImmediate();
    one.ends[1]?.();
    expect(await again).to.equal(3);
  });

  it('refuses a call at once when its queue is full', async () => {
    const one = port();
    const limited = throttled(one, new Throttle({ max: 1, waitingMax: 1 }));
    const [first, second] = [limited.ask(1), limited.ask(2)];
    const third = await limited.ask(3).catch((fault: unknown) => fault);
    expect(third).to.be.instanceOf(Unavailable);
    await nextImmediate();
    one.ends[0]?.();
    await first;
    await nextImmediate();
    one.ends[1]?.();
    expect(await second).to.equal(2);
  });
});
