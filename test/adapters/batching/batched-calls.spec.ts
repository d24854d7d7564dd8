import { expect } from 'chai';
import { BatchedCalls } from '../../../src/adapters/batching/batched-calls.js';
import { nextImmediate } from '../../support/next-immediate.js';

type Batch = {
  readonly calls: readonly string[];
  readonly settle: (answers: readonly string[] | Error) => void;
};

describe('Batched calls', () => {
  let batches: Batch[];
  beforeEach(() => {
    batches = [];
  });

  /** Calls whose group is their first character. The test settles each batch. */
  const batched = (callsMax: number, concurrentMax: number) =>
    new BatchedCalls<string, string>({
      groupOf: (text) => text.charAt(0),
      ...{ callsMax, concurrentMax },
      run: (calls) =>
        new Promise((done, fail) => {
          const settle = (answers: readonly string[] | Error) =>
            answers instanceof Error ? fail(answers) : done(answers);
          batches.push({ calls, settle });
        }),
    });
  const sent = () => batches.map(({ calls }) => calls);

  it('of one turn of the event loop and one group share a batch, up to its size', async () => {
    const calls = batched(2, 9);
    for (const call of ['a1', 'b1', 'a2', 'a3']) void calls.call(call);
    expect(sent()).to.deep.equal([]);
    await nextImmediate();
    expect(sent()).to.deep.equal([['a1', 'a2'], ['a3'], ['b1']]);
    void calls.call('a4');
    await nextImmediate();
    expect(sent().at(-1)).to.deep.equal(['a4']);
  });

  it('get the answers of their batch, in order', async () => {
    const calls = batched(2, 9);
    const answers = Promise.all(['a1', 'a2', 'a3'].map((call) => calls.call(call)));
    await nextImmediate();
    for (const { calls: given, settle } of batches.toReversed())
      settle(given.map((call) => `answer to ${call}`));
    expect(await answers).to.deep.equal(['answer to a1', 'answer to a2', 'answer to a3']);
  });

  it('wait while enough batches run, and then all calls that wait share the next one', async () => {
    const calls = batched(9, 1);
    const first = calls.call('a1');
    await nextImmediate();
    for (const call of ['a2', 'b1', 'a3']) void calls.call(call);
    await nextImmediate();
    expect(sent()).to.deep.equal([['a1']]);
    batches[0]?.settle(['done']);
    await first;
    await nextImmediate();
    expect(sent()).to.deep.equal([['a1'], ['a2', 'a3']]);
    batches[1]?.settle(['', '']);
    await nextImmediate();
    expect(sent()).to.deep.equal([['a1'], ['a2', 'a3'], ['b1']]);
  });

  it('fail with their batch, and not with another one', async () => {
    const calls = batched(2, 1);
    const outcomes = Promise.allSettled(['a1', 'a2', 'a3'].map((call) => calls.call(call)));
    await nextImmediate();
    batches[0]?.settle(new Error('away'));
    await nextImmediate();
    batches[1]?.settle(['answer']);
    expect((await outcomes).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
  });
});
