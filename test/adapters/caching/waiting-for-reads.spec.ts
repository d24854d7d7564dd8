import { expect } from 'chai';
import sinon from 'sinon';
import { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { changesTo, DecidedLogs, positionsAt } from '../../support/copies/decided-logs.js';
import { FakePauses } from '../../support/copies/fake-pauses.js';

const AWAY = new Unavailable('Postgres');

describe('A caller that waits for a read of the change logs', () => {
  let timers: sinon.SinonFakeTimers;
  let logs: DecidedLogs;
  let pauses: FakePauses;
  let follower: ChangeFollower;
  let isStoreAway: boolean;

  /** The last complete read began at 0. */
  beforeEach(async () => {
    timers = sinon.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'],
    });
    [logs, pauses, isStoreAway] = [new DecidedLogs(), new FakePauses(), false];
    follower = new ChangeFollower({
      ...{ logs, pauses, now: () => timers.now, isStoreAway: () => isStoreAway },
      onOlderState: async () => {},
      report: () => {},
    });
    await follower.start();
    await timers.tickAsync(0);
    logs.isSlow = true;
  });
  afterEach(async () => {
    await follower.close();
    timers.restore();
  });

  /** The result of the call as it is after `ms`: `waits`, an answer, or the name of an error. */
  const resultOf = <T>(work: Promise<T>) => {
    let result: unknown = 'waits';
    work.then(
      (answer) => {
        result = answer;
      },
      (fault: Error) => {
        result = fault.name;
      },
    );
    return async (ms = 0) => {
      await timers.tickAsync(ms);
      return result;
    };
  };
  const answer = (n = 0) => logs.last.answer(changesTo(positionsAt(n)));
  /** Copies are outdated, and no read is under way: its timer has not run, as after a long block of the event loop. */
  const outdated = (at = 1_500) => timers.setSystemTime(at);

  describe('until the copies are current', () => {
    it('is told so at once while they are', async () => {
      await timers.tickAsync(499);
      timers.setSystemTime(1_499);
      const result = resultOf(follower.untilCurrent());
      expect([await result(), logs.calls.length]).to.deep.equal([true, 2]);
    });

    it('waits for a read that starts then, at most 100 ms', async () => {
      outdated();
      const [one, other] = [resultOf(follower.untilCurrent()), resultOf(follower.untilCurrent())];
      expect([await one(99), await other(), logs.calls.length]).to.deep.equal(['waits', 'waits', 3]);
      answer();
      expect([await one(), await other()]).to.deep.equal([true, true]);
      expect(follower.readAt).to.equal(1_500);
    });

    it('uses no copies if the read takes longer than 100 ms', async () => {
      outdated();
      const result = resultOf(follower.untilCurrent());
      expect([await result(99), await result(2)]).to.deep.equal(['waits', false]);
      answer();
      await timers.tickAsync(0);
      expect(await resultOf(follower.untilCurrent())()).to.equal(true);
    });

    it('waits for the read under way, 100 ms from its start', async () => {
      await timers.tickAsync(500);
      timers.setSystemTime(1_500);
      expect(await resultOf(follower.untilCurrent())()).to.equal(false);
      expect(logs.calls).to.have.length(3);
    });

    it('uses no copies if the read fails', async () => {
      outdated();
      const result = resultOf(follower.untilCurrent());
      logs.last.fail(AWAY);
      expect(await result()).to.equal(false);
    });

    it('does not wait while the store is known to be unavailable', async () => {
      outdated();
      isStoreAway = true;
      expect([await resultOf(follower.untilCurrent())(), logs.calls.length]).to.deep.equal([false, 2]);
    });

    it('waits up to 1 s after a pause of the process, also if a read before it failed (T17)', async () => {
      await timers.tickAsync(500);
      logs.last.fail(AWAY);
      await timers.tickAsync(0);
      outdated(5_000);
      pauses.wake(5_000);
      const result = resultOf(follower.untilCurrent());
      expect(await result(900)).to.equal('waits');
      answer();
      expect(await result()).to.equal(true);
    });

    it('uses no copies 1 s after a pause, or if the read after it fails', async () => {
      outdated(5_000);
      pauses.wake(5_000);
      const slow = resultOf(follower.untilCurrent());
      expect([await slow(999), await slow(2)]).to.deep.equal(['waits', false]);
      outdated(9_000);
      pauses.wake(9_000);
      const failed = resultOf(follower.untilCurrent());
      logs.last.fail(AWAY);
      expect(await failed()).to.equal(false);
    });

    it('counts an answer that arrived before the time was over, but is read after it (T17)', async () => {
      outdated();
      const result = resultOf(follower.untilCurrent());
      // The answer is read in the same turn of the event loop in which the timer runs.
      setTimeout(() => answer(), 100);
      expect(await result(100)).to.equal(true);
    });
  });

  describe('that begins after the call', () => {
    it('waits for the next read if one is under way', async () => {
      await timers.tickAsync(500);
      await timers.tickAsync(10);
      const result = resultOf(follower.readNow());
      answer(1);
      expect([await result(), logs.calls.length]).to.deep.equal(['waits', 4]);
      answer(1);
      expect(await result()).to.equal(undefined);
    });

    it('waits for all parts', async () => {
      await timers.tickAsync(10);
      const result = resultOf(follower.readNow());
      logs.last.answer(changesTo(positionsAt(1), { isComplete: false }));
      expect(await result()).to.equal('waits');
      answer(2);
      expect(await result()).to.equal(undefined);
    });

    it('is told if that read fails, and not if the one under way does', async () => {
      await timers.tickAsync(500);
      await timers.tickAsync(10);
      const result = resultOf(follower.readNow());
      logs.last.fail(AWAY);
      expect(await result()).to.equal('waits');
      logs.last.fail(AWAY);
      expect(await result()).to.equal('Unavailable');
    });
  });

  describe('that begins after the call, for a time', () => {
    it('waits for the next read if one is under way', async () => {
      await timers.tickAsync(500);
      await timers.tickAsync(10);
      const result = resultOf(follower.readWithin(100));
      answer(1);
      expect([await result(99), logs.calls.length]).to.deep.equal(['waits', 4]);
      answer(1);
      expect(await result()).to.equal(true);
    });

    it('is told if the read fails, or is not complete in this time', async () => {
      await timers.tickAsync(10);
      const failed = resultOf(follower.readWithin(100));
      logs.last.fail(AWAY);
      expect(await failed(1)).to.equal(false);
      const slow = resultOf(follower.readWithin(100));
      expect([await slow(99), await slow(2)]).to.deep.equal(['waits', false]);
    });

    it('does not wait while copies are outdated', async () => {
      outdated();
      isStoreAway = true;
      expect([await resultOf(follower.readWithin(100))(), logs.calls.length]).to.deep.equal([false, 2]);
    });
  });

  it('does not wait for ever when the follower is closed', async () => {
    outdated();
    const before = [resultOf(follower.untilCurrent()), resultOf(follower.readNow())];
    await follower.close();
    const after = [resultOf(follower.untilCurrent()), resultOf(follower.readNow())];
    for (const [current, read] of [before, after])
      expect([await current?.(), await read?.()]).to.deep.equal([false, 'Unavailable']);
  });
});
