import { expect } from 'chai';
import sinon from 'sinon';
import type { ChangeFollower } from '../../src/adapters/caching/change-follower.js';
import type { LogPositions } from '../../src/application/ports/change-logs.js';
import type { Parts } from '../../src/composition/compose.js';
import { CLOCK_ALLOWANCES, type ClockAllowance } from '../../src/domain/clock-offset.js';
import { NO_MARK } from '../../src/domain/feed/position.js';
import { startBackground } from '../../src/process/background.js';
import { followerOf } from '../support/copies/followed-feed.js';

const MINUTE_MS = 60_000;

describe('The background jobs', () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  it('do not begin while the clock of the instance is wrong, and begin when it is right again (D5)', async () => {
    let allowance: ClockAllowance = CLOCK_ALLOWANCES.wrong;
    const jobs = {
      dueWork: sinon.fake.resolves(undefined),
      notices: sinon.fake.resolves(false),
      abuse: sinon.fake.resolves(undefined),
      deleting: sinon.fake.resolves(undefined),
      indexing: sinon.fake.resolves(undefined),
      renewing: sinon.fake.resolves(undefined),
      projecting: sinon.fake.resolves(undefined),
      reconciling: sinon.fake.resolves(null),
    };
    const stop = startBackground({
      log: { debug: sinon.fake(), error: sinon.fake(), info: sinon.fake(), warn: sinon.fake() },
      clockCheck: { allowance: () => allowance },
      runDueWork: { once: jobs.dueWork },
      sendNotices: jobs.notices,
      detectAbuse: { scan: jobs.abuse },
      deleteExpiredRows: { whenDue: jobs.deleting },
      indexItems: jobs.indexing,
      heldJobs: { renew: jobs.renewing, release: async () => {} },
      projectMarkets: { run: jobs.projecting },
      reconcilePayments: jobs.reconciling,
      processor: null,
      followed: { follower: { whenOlderState: () => () => {} } },
    } as unknown as Parts);
    const begun = () => Object.values(jobs).filter(({ called }) => called).length;

    await clock.tickAsync(2 * MINUTE_MS);
    expect(begun()).to.equal(0);
    allowance = CLOCK_ALLOWANCES.agrees;
    await clock.tickAsync(2 * MINUTE_MS);
    expect(begun()).to.equal(Object.keys(jobs).length);
    await Promise.all([stop(), clock.tickAsync(MINUTE_MS)]);
  });

  describe('that reconcile payments', () => {
    /** Each run is forced or not, and has an answer: a number of events, null for a lease that another instance has, or an error. */
    const opened = async (answers: readonly (number | null | Error)[]) => {
      const runs: boolean[] = [];
      const found = { change: 'changes' as 'changes' | 'older state' };
      const positions = { accounts: 0, feed: { n: 1, mark: NO_MARK } } as unknown as LogPositions;
      const follower = followerOf({
        newest: async () => positions,
        readAfter: async () => {
          const isOlder = found.change === 'older state';
          found.change = 'changes';
          return isOlder
            ? { found: 'older state' }
            : { found: 'changes', accounts: [], feed: [], positions, isComplete: true };
        },
      });
      await follower.start();
      const allowance = { is: CLOCK_ALLOWANCES.agrees };
      const nothing = sinon.fake.resolves(undefined);
      const start = () =>
        startBackground({
          log: { debug: sinon.fake(), error: sinon.fake(), info: sinon.fake(), warn: sinon.fake() },
          clockCheck: { allowance: () => allowance.is },
          runDueWork: { once: nothing },
          sendNotices: sinon.fake.resolves(false),
          detectAbuse: { scan: nothing },
          deleteExpiredRows: { whenDue: nothing },
          indexItems: nothing,
          heldJobs: { renew: nothing, release: nothing },
          projectMarkets: { run: nothing },
          reconcilePayments: async (isForced: boolean) => {
            const [answer = 0] = answers.slice(runs.length);
            runs.push(isForced);
            if (answer instanceof Error) throw answer;
            return answer;
          },
          processor: null,
          followed: { follower },
        } as unknown as Parts);
      return { runs, found, follower, allowance, start };
    };
    const end = async (stop: () => Promise<void>, follower: ChangeFollower) => {
      await Promise.all([stop(), clock.tickAsync(MINUTE_MS)]);
      await follower.close();
    };

    it('do so once the clock is right, if it was wrong at the start, and until a run has succeeded (D5)', async () => {
      const { runs, follower, allowance, start } = await opened([new Error('no answer'), null, 0]);
      allowance.is = CLOCK_ALLOWANCES.wrong;
      const stop = start();
      await clock.tickAsync(MINUTE_MS);
      expect(runs).to.deep.equal([]);
      allowance.is = CLOCK_ALLOWANCES.agrees;
      await clock.tickAsync(2 * MINUTE_MS);
      expect(runs).to.deep.equal([true, true, true, false]);
      await end(stop, follower);
    });

    it('do so at once when Postgres has returned to an older state (D45)', async () => {
      const { runs, found, follower, start } = await opened([]);
      const stop = start();
      await clock.tickAsync(1_000);
      expect(runs).to.deep.equal([true]);
      found.change = 'older state';
      await clock.tickAsync(1_000);
      expect(runs).to.deep.equal([true, true]);
      await end(stop, follower);
    });
  });
});
