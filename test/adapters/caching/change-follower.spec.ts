import { expect } from 'chai';
import sinon from 'sinon';
import { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { changesTo, DecidedLogs, positionsAt } from '../../support/copies/decided-logs.js';
import { FakePauses } from '../../support/copies/fake-pauses.js';

const AWAY = new Unavailable('Postgres');

describe('A follower of the change logs', () => {
  let timers: sinon.SinonFakeTimers;
  let logs: DecidedLogs;
  let pauses: FakePauses;
  let follower: ChangeFollower;
  let isStoreAway: boolean;
  let reported: unknown[];
  /** What was done with the copies, in order. */
  let done: string[];
  let onOlderState: () => Promise<void>;
  let apply: () => void;

  beforeEach(() => {
    timers = sinon.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'],
    });
    [logs, pauses, isStoreAway, reported, done] = [new DecidedLogs(), new FakePauses(), false, [], []];
    onOlderState = async () => void done.push('older state');
    apply = () => {};
    follower = new ChangeFollower({
      ...{ logs, pauses, now: () => timers.now, isStoreAway: () => isStoreAway },
      onOlderState: () => onOlderState(),
      report: (fault) => void reported.push(fault),
    });
    follower.keep({
      apply: ({ accounts, feed }) => {
        apply();
        done.push(accounts.some(({ keys }) => keys === 'all') ? 'drop all' : `apply ${feed.length}`);
      },
      rebuild: (position) => void done.push(`rebuild from ${position.n}`),
    });
  });
  afterEach(async () => {
    await follower.close();
    timers.restore();
  });

  const settle = () => timers.tickAsync(0);
  /** Follows the logs, and waits for the answers from then on. */
  const following = async () => {
    await follower.start();
    await settle();
    [logs.isSlow, done.length] = [true, 0];
  };
  /** The numbers after which the logs were read; null for a call of `newest`. */
  const calls = () => logs.calls.map(({ after }) => after?.feed.n ?? null);
  const answer = async (...answers: readonly Parameters<typeof logs.last.answer>[0][]) => {
    for (const each of answers) {
      logs.last.answer(each);
      await settle();
    }
  };
  const fail = async (fault: Error) => {
    logs.last.fail(fault);
    await settle();
  };
  describe('reads', () => {
    it('the newest positions, then the changes after them, then every 0.5 s until it is closed', async () => {
      await follower.start();
      await settle();
      expect([calls(), done]).to.deep.equal([
        [null, 0],
        ['rebuild from 0', 'apply 0'],
      ]);
      await timers.tickAsync(1_500);
      expect(calls()).to.deep.equal([null, 0, 0, 0, 0]);
      await follower.close();
      await timers.tickAsync(1_500);
      expect(logs.calls).to.have.length(5);
    });

    it('0.5 s after the start of a read, or at once if a read takes longer', async () => {
      await following();
      await timers.tickAsync(500);
      await timers.tickAsync(300);
      await answer(changesTo(positionsAt(0)));
      await timers.tickAsync(199);
      expect(logs.calls).to.have.length(3);
      await timers.tickAsync(1);
      expect(logs.calls).to.have.length(4);
      await timers.tickAsync(700);
      await answer(changesTo(positionsAt(0)));
      expect(logs.calls).to.have.length(5);
    });

    it('at once on a message, and one more time for all messages during a read', async () => {
      await following();
      follower.readSoon();
      expect(logs.calls).to.have.length(3);
      for (let i = 0; i < 5; i += 1) follower.readSoon();
      expect(logs.calls).to.have.length(3);
      await answer(changesTo(positionsAt(1)));
      expect(calls()).to.deep.equal([null, 0, 0, 1]);
      await answer(changesTo(positionsAt(1)));
      await timers.tickAsync(499);
      expect(logs.calls).to.have.length(4);
    });

    it('all parts without a pause, and is current after the last one', async () => {
      await following();
      await timers.tickAsync(500);
      await answer(changesTo(positionsAt(1), { isComplete: false }));
      await timers.tickAsync(100);
      await answer(changesTo(positionsAt(2), { isComplete: false }));
      expect([calls(), follower.readAt]).to.deep.equal([[null, 0, 0, 1, 2], 0]);
      await timers.tickAsync(100);
      await answer(changesTo(positionsAt(3)));
      expect([follower.readAt, done]).to.deep.equal([600, ['apply 0', 'apply 0', 'apply 0']]);
    });

    it('and counts the age of copies from the start of the last read (D39)', async () => {
      expect([follower.age, follower.isCurrent(0)]).to.deep.equal([null, false]);
      await following();
      await timers.tickAsync(500);
      await timers.tickAsync(400);
      await answer(changesTo(positionsAt(0)));
      expect([follower.age, follower.readAt]).to.deep.equal([400, 500]);
      expect([follower.isCurrent(1_999), follower.isCurrent(2_000)]).to.deep.equal([true, false]);
    });

    it('again 0.5 s after a read that failed, from the same positions, and reports only bugs', async () => {
      await following();
      const bug = new Error('a bug');
      await timers.tickAsync(500);
      await fail(AWAY);
      await timers.tickAsync(500);
      await fail(bug);
      await timers.tickAsync(500);
      await answer(changesTo(positionsAt(4)));
      expect([calls(), reported, follower.readAt]).to.deep.equal([[null, 0, 0, 0, 0], [bug], 1_500]);
    });

    it('at the next time if the first read fails', async () => {
      logs.isSlow = true;
      const starting = follower.start();
      await fail(AWAY);
      await starting;
      await timers.tickAsync(500);
      expect([calls(), follower.age, reported]).to.deep.equal([[null, null], null, []]);
    });

    it('anew after a pause of the process, and gives up the read under way (T17)', async () => {
      await following();
      await timers.tickAsync(500);
      const before = logs.last;
      timers.setSystemTime(9_000);
      pauses.wake(9_000);
      expect(calls()).to.deep.equal([null, 0, 0, 0]);
      before.answer(changesTo(positionsAt(1)));
      await settle();
      expect([done, follower.readAt]).to.deep.equal([[], 0]);
      await answer(changesTo(positionsAt(2)));
      expect([done, follower.readAt]).to.deep.equal([['apply 0'], 9_000]);
      await timers.tickAsync(500);
      expect(calls().at(-1)).to.equal(2);
    });

    it('once after a pause that its timer notices first, so that no read gives up the one that counts', async () => {
      // As in the service: a breaker asks for the last pause before each read, and a read gives up the one before it.
      const read = logs.readAfter.bind(logs);
      logs.readAfter = async (positions) => {
        pauses.lastWokeAt();
        logs.last.fail(AWAY);
        return read(positions);
      };
      await following();
      timers.setSystemTime(9_000);
      pauses.wakeUnnoticed(9_000);
      await timers.tickAsync(500);
      expect(follower.use()).to.have.property('waitUntil');
      await answer(changesTo(positionsAt(2)));
      expect([done, follower.use()]).to.deep.equal([['apply 0'], 'current']);
    });

    it('anew after a pause, whatever fails in the read that is given up', async () => {
      await following();
      await timers.tickAsync(500);
      const before = logs.last;
      timers.setSystemTime(9_000);
      pauses.wake(9_000);
      before.fail(AWAY);
      await settle();
      expect(follower.use()).to.deep.equal({ waitUntil: 10_000 });
      await timers.tickAsync(500);
      expect(logs.calls).to.have.length(4);
    });
  });

  describe('rebuilds the copies', () => {
    it('after it has noted the newest positions, if changes were removed', async () => {
      await following();
      await timers.tickAsync(500);
      await answer({ found: 'expired' });
      expect([calls(), done]).to.deep.equal([[null, 0, 0, null], ['drop all']]);
      await answer(positionsAt(7));
      expect([calls(), done]).to.deep.equal([
        [null, 0, 0, null, 7],
        ['drop all', 'rebuild from 7'],
      ]);
      expect(follower.readAt).to.equal(0);
      await answer(changesTo(positionsAt(7)));
      expect(follower.readAt).to.equal(500);
    });

    it('after the head was raised, if the store returned to an older state (D45)', async () => {
      await following();
      await timers.tickAsync(500);
      await answer({ found: 'older state' }, positionsAt(2), changesTo(positionsAt(2)));
      expect(calls()).to.deep.equal([null, 0, 0, null, 2]);
      expect(done).to.deep.equal(['drop all', 'older state', 'rebuild from 2', 'apply 0']);
    });

    it('at the next read if that fails, and is told of the older state once', async () => {
      await following();
      await timers.tickAsync(500);
      await answer({ found: 'older state' });
      await fail(AWAY);
      await timers.tickAsync(500);
      await answer(positionsAt(2), changesTo(positionsAt(2)));
      expect(calls()).to.deep.equal([null, 0, 0, null, null, 2]);
      expect(done).to.deep.equal(['drop all', 'older state', 'rebuild from 2', 'apply 0']);
    });

    it('if changes could not be applied', async () => {
      await following();
      const bug = new Error('a bug');
      apply = () => {
        throw bug;
      };
      await timers.tickAsync(500);
      await answer(changesTo(positionsAt(1)));
      expect([reported, follower.readAt]).to.deep.equal([[bug], 0]);
      apply = () => {};
      await timers.tickAsync(500);
      await answer(positionsAt(2), changesTo(positionsAt(2)));
      expect([calls(), follower.readAt]).to.deep.equal([[null, 0, 0, null, 2], 1_000]);
      expect(done).to.deep.equal(['rebuild from 2', 'apply 0']);
    });
  });
});
