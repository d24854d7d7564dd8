import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  currentTrace,
  withinTrace,
  withinTraceAndAfter,
} from '../../../src/adapters/tracing/current-trace.js';
import type { RequestTrace } from '../../../src/adapters/tracing/request-traces.js';

const traceOf = (spanId: string): RequestTrace => ({
  ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId, isSampled: true },
  ...{ parentSpanId: null, record: null },
});

describe('The trace of the request that is being answered', () => {
  /** The span ids that the work of a trace finds, one in each round of the event loop. */
  const found = (spanId: string, rounds: number) =>
    withinTrace(traceOf(spanId), async () => {
      const ids: (string | undefined)[] = [currentTrace()?.spanId];
      for (let round = 1; round < rounds; round += 1) {
        await setImmediate();
        ids.push(currentTrace()?.spanId);
      }
      return ids;
    });

  it('is that of each of several requests at a time, also after one of them has ended', async () => {
    const short = found('short', 2);
    const long = found('long', 6);
    expect(await short).to.deep.equal(['short', 'short']);
    expect(await long).to.deep.equal(Array.from({ length: 6 }, () => 'long'));
    expect(currentTrace()).to.equal(null);
  });

  it('is gone after work that ended at once, that threw, and that failed late', async () => {
    expect(withinTrace(traceOf('now'), () => currentTrace()?.spanId)).to.equal('now');
    expect(currentTrace()).to.equal(null);
    const thrown = () => {
      throw new Error('thrown');
    };
    expect(() => withinTrace(traceOf('thrown'), thrown)).to.throw('thrown');
    expect(currentTrace()).to.equal(null);
    const late = withinTrace(traceOf('late'), () => Promise.reject(new Error('late')));
    expect(await late.catch((fault: Error) => fault.message)).to.equal('late');
    expect(currentTrace()).to.equal(null);
  });

  it('is found again by work within a trace that begins later', async () => {
    await found('first', 2);
    expect(await found('second', 3)).to.deep.equal(['second', 'second', 'second']);
  });

  it('is null without a trace, also beside a traced request', async () => {
    const traced = found('traced', 3);
    await setImmediate();
    expect(withinTrace(null, () => currentTrace())).to.equal(null);
    await traced;
  });

  it('is found by work that goes on after the request, also after other requests', async () => {
    const late = withinTraceAndAfter(traceOf('late'), () => ({ work: setImmediate().then(currentTrace) }));
    withinTrace(traceOf('other'), () => {});
    expect((await late.work)?.spanId).to.equal('late');
  });
});
