import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { FairQueue } from '../../../src/adapters/resilience/fair-queue.js';
import { isFreeFault } from '../../../src/application/limits/refund.js';
import { NotNow } from '../../../src/application/unavailable.js';
import { nextImmediate } from '../../support/next-immediate.js';

describe('A fair queue', () => {
  /** A server whose calls end when the test says so. */
  class Server {
    readonly begun: string[] = [];
    readonly #ends: ((fault?: Error) => void)[] = [];
    readonly call = (name: string) => () => {
      this.begun.push(name);
      return new Promise<string>((done, fail) => {
        this.#ends.push((fault) => (fault === undefined ? done(name) : fail(fault)));
      });
    };
    async end(fault?: Error): Promise<void> {
      this.#ends.shift()?.(fault);
      await nextImmediate();
    }
  }

  it('runs few calls of one caller at once, and leaves room for the others', async () => {
    const [server, queue] = [
      new Server(),
      new FairQueue<string>('the store', { max: 3, perCaller: 2, waitingPerCaller: 9, waitMs: 1_000 }),
    ];
    const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) =>
      queue.run(name[0] ?? '', server.call(name)),
    );
    await nextImmediate();
    expect(server.begun).to.deep.equal(['a1', 'a2', 'b1']);
    for (let i = 0; i < 6; i += 1) await server.end();
    expect(await Promise.all(calls)).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
  });

  it('lets callers take turns, and starts the next call also when one fails', async () => {
    const [server, queue] = [
      new Server(),
      new FairQueue<string>('the store', { max: 1, perCaller: 1, waitingPerCaller: 9, waitMs: 1_000 }),
    ];
    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    const calls = names.map((name) =>
      queue.run(name[0] ?? '', server.call(name)).catch(({ message }) => message),
    );
    await nextImmediate();
    await server.end(new Error('failed'));
    for (let i = 0; i < 5; i += 1) await server.end();
    expect(server.begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    expect((await Promise.all(calls)).sort()).to.deep.equal(['a2', 'a3', 'b1', 'b2', 'c1', 'failed']);
  });

  it('does not make a call whose caller has given up', async () => {
    const clock = useFakeTimers({ toFake: ['performance'] });
    try {
      const server = new Server();
      const queue = new FairQueue<string>('the store', {
        max: 1,
        perCaller: 1,
        waitingPerCaller: 9,
        waitMs: 1_000,
      });
      const calls = ['a1', 'b1'].map((name) =>
        queue.run(name, server.call(name)).catch((fault: unknown) => fault),
      );
      await nextImmediate();
      clock.tick(1_001);
      const later = queue.run('c', server.call('c1'));
      await server.end();
      await server.end();
      const [first, second] = await Promise.all(calls);
      expect([first, await later]).to.deep.equal(['a1', 'c1']);
      expect(second).to.be.instanceOf(NotNow);
      expect(server.begun).to.deep.equal(['a1', 'c1']);
    } finally {
      clock.restore();
    }
  });

  it('refuses a call of a caller with too many that wait, and nobody else', async () => {
    const [server, queue] = [
      new Server(),
      new FairQueue<string>('the store', { max: 1, perCaller: 1, waitingPerCaller: 2, waitMs: 1_000 }),
    ];
    const calls = ['a1', 'a2', 'a3'].map((name) => queue.run('a', server.call(name)));
    const refused = await queue.run('a', server.call('a4')).catch((fault: unknown) => fault);
    expect(refused).to.be.instanceOf(NotNow);
    expect(isFreeFault(refused)).to.equal(true);
    calls.push(queue.run('b', server.call('b1')));
    await nextImmediate();
    for (let i = 0; i < 4; i += 1) await server.end();
    expect(await Promise.all(calls)).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });
});
