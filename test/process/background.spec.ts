import { expect } from 'chai';
import sinon from 'sinon';
import type { Parts } from '../../src/composition/compose.js';
import { CLOCK_ALLOWANCES, type ClockAllowance } from '../../src/domain/clock-offset.js';
import { startBackground } from '../../src/process/background.js';

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
      reconcilePayments: jobs.reconciling,
      processor: null,
    } as unknown as Parts);
    const begun = () => Object.values(jobs).filter(({ called }) => called).length;

    await clock.tickAsync(2 * MINUTE_MS);
    expect(begun()).to.equal(0);
    allowance = CLOCK_ALLOWANCES.agrees;
    await clock.tickAsync(2 * MINUTE_MS);
    expect(begun()).to.equal(Object.keys(jobs).length);
    await Promise.all([stop(), clock.tickAsync(MINUTE_MS)]);
  });
});
