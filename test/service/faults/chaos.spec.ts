import { expect } from 'chai';
import { reportOf } from '../../support/chaos/report.js';
import { runChaos } from '../../support/chaos/run.js';

/** Its faults have most kinds, and few of them wait for the start of an instance. `npm run chaos` takes any other seed. */
const SEED = 11;
const KINDS_MIN = 16;
const DURATION_MS = 15_000;

describe('The service under chaos', function () {
  this.timeout(180_000);

  it('keeps its promises while instances, Postgres, Redis and what is between them fail', async () => {
    const result = await runChaos(SEED, DURATION_MS);
    const { record, schedule } = result;
    const report = reportOf(result);
    expect(record.violations, report).to.deep.equal([]);
    expect(new Set(schedule.map(({ fault }) => fault.kind)).size).to.be.at.least(KINDS_MIN);
    // A run that did nothing would break nothing. How much is judged during faults depends on how busy the machine is.
    for (const what of [
      'publications acknowledged',
      'webhooks acknowledged',
      'keys issued',
      'items of followers compared',
      'polls answered',
    ])
      expect(record.counted(what), what).to.be.above(0);
    console.log(`      ${report.split('\n').at(-1)}`);
  });
});
