import { inspect } from 'node:util';
import { expect } from 'chai';
import sinon from 'sinon';
import { jsonLog } from '../../../src/adapters/system/json-log.js';
import { Unavailable } from '../../../src/application/unavailable.js';

/** Expects a rejection with `Unavailable`, and returns it. */
export async function unavailability(work: Promise<unknown>): Promise<Unavailable> {
  const fault = await work.then(
    (answer) => `it answered ${inspect(answer)}`,
    (thrown: unknown) => thrown,
  );
  if (fault instanceof Unavailable) return fault;
  expect.fail(`not Unavailable: ${inspect(fault)}`);
}

/** All properties of an error, and everything that the log writes about it. */
export function everythingIn(fault: Error): string {
  const lines: string[] = [];
  jsonLog('info', { write: (line) => void lines.push(line) }).info({ err: fault });
  return [inspect(fault, { depth: null, showHidden: true }), ...lines].join('\n');
}

/** Replaces `AbortSignal.timeout` until `sinon.restore()`: time limits pass when a test calls `pass`. */
export function passingTimeLimit() {
  let running: readonly AbortController[] = [];
  const limit = sinon.stub(AbortSignal, 'timeout').callsFake(() => {
    const controller = new AbortController();
    running = [...running, controller];
    return controller.signal;
  });
  return {
    pass: () => {
      for (const controller of running) controller.abort(new DOMException('too late', 'TimeoutError'));
    },
    /** The requested time limits, in milliseconds. */
    limits: (): readonly number[] => limit.args.map(([limitMs]) => limitMs),
  };
}
