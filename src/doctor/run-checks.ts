import { type Check, type Finding, failed } from '../adapters/findings/check.js';
import { faultOf } from './fault.js';

/** A check that measures and judges. It throws only what it does not expect. */
export type DoctorCheck = { readonly check: string; readonly run: () => Promise<Finding> };

/** Runs all checks side by side. One without an answer in time has failed; the others are not delayed. */
export const runChecks = (checks: readonly DoctorCheck[], limitMs: number): Promise<readonly Check[]> =>
  Promise.all(checks.map(async ({ check, run }) => ({ check, ...(await inTime(run, limitMs)) })));

async function inTime(run: () => Promise<Finding>, limitMs: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((done) => {
    const finding = failed(
      `no answer within ${limitMs / 1_000} s`,
      'Check that the server answers, and the network between this machine and the server.',
    );
    timer = setTimeout(() => done(finding), limitMs);
  });
  try {
    return await Promise.race([run(), late]);
  } catch (fault) {
    return failed(
      `the check ended with an error: ${faultOf(fault).message}`,
      'Correct the cause, and run the checks again.',
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Several checks need the same measurement: it is made once. */
export function once<Result>(measure: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => (made ??= measure());
}
