import { expect } from 'chai';
import sinon from 'sinon';
import { ProcessPauses } from '../../../src/adapters/system/process-pauses.js';

describe('The pauses of a process', () => {
  let timers: sinon.SinonFakeTimers;
  let now: number;
  let pauses: ProcessPauses;
  beforeEach(async () => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    now = 5_000;
    pauses = new ProcessPauses(() => now);
    await pauses.start();
  });
  afterEach(async () => {
    await pauses.close();
    timers.restore();
  });

  /** The process runs: its timers are on time. */
  const run = (ms: number) => {
    for (let i = 0; i < ms; i += 1) {
      now += 1;
      timers.tick(1);
    }
  };
  /** The process does not run: the clock moves, and no timer runs. */
  const pause = (ms: number) => {
    now += ms;
  };

  it('are none while every tick is on time', () => {
    run(5_000);
    expect(pauses.lastWokeAt()).to.equal(null);
  });

  it('are longer than 500 ms: a tick that is later than that is one', () => {
    const table = [
      { late: 500, isPause: false },
      { late: 501, isPause: true },
      { late: 70_000, isPause: true },
    ];
    for (const { late, isPause } of table) {
      run(1_000);
      const before = pauses.lastWokeAt();
      pause(late);
      run(100);
      expect(pauses.lastWokeAt(), `${late} ms`).to.equal(isPause ? now : before);
    }
  });

  it('are noticed by a caller that asks before the tick, and counted once', () => {
    run(1_000);
    const noticed: number[] = [];
    pauses.onWake((wokeAt) => noticed.push(wokeAt));
    pause(1_200);
    const wokeAt = now;
    expect(pauses.lastWokeAt()).to.equal(wokeAt);
    run(1_000);
    expect([pauses.lastWokeAt(), noticed]).to.deep.equal([wokeAt, [wokeAt]]);
  });

  it('are passed to each listener until it is removed', () => {
    const noticed: number[] = [];
    const remove = pauses.onWake((wokeAt) => noticed.push(wokeAt));
    pause(700);
    run(100);
    const first = now;
    pause(700);
    run(100);
    const second = now;
    remove();
    pause(700);
    run(100);
    expect(noticed).to.deep.equal([first, second]);
  });

  it('are noticed once although a listener asks for the last one', () => {
    const asked: (number | null)[] = [];
    pauses.onWake(() => asked.push(pauses.lastWokeAt()));
    pause(700);
    const wokeAt = now;
    pauses.lastWokeAt();
    expect(asked).to.deep.equal([wokeAt]);
  });

  it('are not noticed before the start and after the end', async () => {
    const other = new ProcessPauses(() => now);
    pause(700);
    expect(other.lastWokeAt()).to.equal(null);
    await pauses.close();
    pause(700);
    run(1_000);
    expect([other.lastWokeAt(), pauses.lastWokeAt()]).to.deep.equal([null, null]);
  });
});
