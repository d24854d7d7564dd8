import { expect } from 'chai';
import sinon from 'sinon';
import { Breaker, type BreakerState } from '../../../src/adapters/resilience/breaker.js';
import { Unavailable, UnavailableAfterPause } from '../../../src/application/unavailable.js';

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

/** Pauses that a test causes. */
class FakePauses {
  #wokeAt: number | null = null;
  readonly #listeners = new Set<() => void>();

  lastWokeAt(): number | null {
    return this.#wokeAt;
  }

  onWake(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  wake(): void {
    this.#wokeAt = (this.#wokeAt ?? 0) + 1;
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}

/** T17: a pause of this process says nothing about the server. */
describe('A breaker, after a pause of this process,', () => {
  let clock: sinon.SinonFakeTimers;
  let pauses: FakePauses;
  let breaker: Breaker;
  let changes: BreakerState[];
  let probe: () => Promise<unknown>;
  beforeEach(async () => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
    pauses = new FakePauses();
    changes = [];
    probe = async () => {};
    breaker = new Breaker({ what: 'the store', failingMs: 0, probe: () => probe(), pauses });
    breaker.onChange((state) => changes.push(state));
    await breaker.start();
  });
  afterEach(() => {
    breaker.stop();
    clock.restore();
  });

  const fail = () => Promise.reject(new Unavailable('the store'));
  const open = async () => {
    probe = fail;
    for (let i = 0; i < 3; i += 1) await faultOf(breaker.run(fail));
    expect(breaker.state).to.equal('open');
  };
  /** Calls that are in progress and fail when the returned function is called. */
  const inProgress = (calls: number) => {
    let failAll = () => {};
    const failed = new Promise<never>((_, no) => {
      failAll = () => no(new Unavailable('the store'));
    });
    const faults = Promise.all(Array.from({ length: calls }, () => faultOf(breaker.run(() => failed))));
    return { failAll, faults };
  };
  const answeredOf = async (fault: unknown) =>
    fault instanceof UnavailableAfterPause ? fault.answered : 'not after a pause';

  it('does not open for calls that began before the pause', async () => {
    const { failAll, faults } = inProgress(10);
    pauses.wake();
    await clock.tickAsync(1);
    failAll();
    const answered = await Promise.all((await faults).map(answeredOf));
    expect(answered).to.deep.equal(Array(10).fill(true));
    expect([breaker.state, changes]).to.deep.equal(['closed', []]);
  });

  it('does not open for a probe that began before the pause', async () => {
    let failProbe = () => {};
    probe = () =>
      new Promise((_, no) => {
        failProbe = () => no(new Unavailable('the store'));
      });
    await clock.tickAsync(1_000);
    probe = async () => {};
    pauses.wake();
    await clock.tickAsync(1);
    failProbe();
    // One more failure would open it.
    for (let i = 0; i < 2; i += 1) await faultOf(breaker.run(fail));
    expect(changes).to.deep.equal([]);
  });

  it('does not open for calls that fail until the server has answered, and lets them wait for that', async () => {
    probe = fail;
    pauses.wake();
    const faults = await Promise.all(Array.from({ length: 10 }, () => faultOf(breaker.run(fail))));
    probe = async () => {};
    await clock.tickAsync(10);
    expect(await Promise.all(faults.map(answeredOf))).to.deep.equal(Array(10).fill(true));
    expect(changes).to.deep.equal([]);
  });

  it('probes at once if it was open before the pause, and closes', async () => {
    await open();
    probe = async () => {};
    pauses.wake();
    expect(await answeredOf(await faultOf(breaker.run(fail)))).to.equal(true);
    expect(changes).to.deep.equal(['open', 'closed']);
    expect(await breaker.run(async () => 'answer')).to.equal('answer');
  });

  it('reports after 250 ms that the server does not answer, and counts the failures after that', async () => {
    for (const silent of [fail, () => new Promise(() => {})]) {
      probe = silent;
      pauses.wake();
      const fault = await faultOf(breaker.run(fail));
      await clock.tickAsync(260);
      expect(await answeredOf(fault)).to.equal(false);
    }
    expect(breaker.state).to.equal('closed');
    for (let i = 0; i < 3; i += 1) {
      expect(await answeredOf(await faultOf(breaker.run(fail)))).to.equal('not after a pause');
    }
    expect(breaker.state).to.equal('open');
  });

  it('counts failures as before once the server has answered', async () => {
    pauses.wake();
    await clock.tickAsync(1);
    await open();
    expect(changes).to.deep.equal(['open']);
  });

  it('does not listen to pauses after it is stopped', () => {
    breaker.stop();
    expect(pauses.listeners).to.equal(0);
  });
});
