import { expect } from 'chai';
import fc from 'fast-check';
import { CASES } from '../../support/streams/model-actions.js';
import { runModel } from '../../support/streams/model-run.js';

const RUNS = process.env['DEEP'] ? 2_000 : 300;
const DEEP_TIMEOUT_MS = 600_000;

describe('Streams of two instances over one feed (D45, D48, D49, D50)', function () {
  this.timeout(DEEP_TIMEOUT_MS);

  it('lose no change, however often a client loses its connection, an instance or the state of the store', async () => {
    await fc.assert(
      fc.asyncProperty(CASES, (model) => runModel(model)),
      { numRuns: RUNS },
    );
  });

  it('lose changes for a client that resumes after messages that it has not received', async () => {
    const found = await fc.check(
      fc.asyncProperty(CASES, (model) => runModel(model, 'sent')),
      { numRuns: 1_000, endOnFailure: true },
    );
    expect(found.failed).to.equal(true);
  });
});
