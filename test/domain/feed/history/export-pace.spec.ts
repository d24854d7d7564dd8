import { expect } from 'chai';
import fc from 'fast-check';
import { pauseAfterBlock } from '../../../../src/domain/feed/history/export-pace.js';

const ALONE = { busyMs: 10, elapsedMs: 10, hasReadRequests: false, exports: 1 };
const BESIDE = { ...ALONE, hasReadRequests: true };

describe('The pace of an export', () => {
  const CASES = [
    ['has no pause while the process reads no request', ALONE, 0],
    ['has pauses of nine times the work beside requests', BESIDE, 90],
    ['has longer ones beside other exports', { ...BESIDE, exports: 4 }, 390],
    ['counts what it waited for its client', { ...BESIDE, elapsedMs: 30 }, 70],
    ['has no pause for a client that is slower', { ...BESIDE, elapsedMs: 500 }, 0],
    ['has pauses of at most a second', { ...BESIDE, busyMs: 5_000, elapsedMs: 5_000 }, 1_000],
  ] as const;
  for (const [what, times, pauseMs] of CASES) {
    it(what, () => expect(pauseAfterBlock(times)).to.equal(pauseMs));
  }

  it('makes a block take at most a tenth of the time until the end of its pause', () => {
    // Pauses of less than their limit of a second.
    const milliseconds = fc.double({ min: 0.1, max: 100, noNaN: true });
    fc.assert(
      fc.property(milliseconds, milliseconds, (busyMs, waitedMs) => {
        const elapsedMs = busyMs + waitedMs;
        const pauseMs = pauseAfterBlock({ busyMs, elapsedMs, hasReadRequests: true, exports: 1 });
        expect(busyMs).to.be.at.most(0.1 * (elapsedMs + pauseMs) + 1e-6);
      }),
    );
  });
});
