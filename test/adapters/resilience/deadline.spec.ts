import { expect } from 'chai';
import { withDeadline } from '../../../src/adapters/resilience/deadline.js';
import { Unavailable } from '../../../src/application/unavailable.js';

const never = () => new Promise<string>(() => {});
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

describe('A deadline', () => {
  it('gives the answer that comes in time', async () => {
    expect(await withDeadline(1_000, 'it', async () => 'answer')).to.equal('answer');
  });

  it('gives up on an answer that does not come, and says what is unavailable', async () => {
    const fault = await faultOf(withDeadline(1, 'the store', never));
    expect(fault).to.be.instanceOf(Unavailable).with.property('message', 'the store is unavailable');
  });

  it('passes on the fault of the work as it is', async () => {
    const bug = new Error('bug');
    expect(await faultOf(withDeadline(1_000, 'it', () => Promise.reject(bug)))).to.equal(bug);
  });

  it('is not heard of again when the work fails late', async () => {
    let fail: (fault: Error) => void = () => {};
    const late = new Promise<string>((_, no) => {
      fail = no;
    });
    expect(await faultOf(withDeadline(1, 'it', () => late))).to.be.instanceOf(Unavailable);
    fail(new Error('too late'));
    await new Promise((done) => setImmediate(done));
  });

  it('counts an answer that is there already, however long this process did not look', async () => {
    const work = () =>
      new Promise<string>((done) => {
        // As an answer on a socket: it is read in the round after the timers.
        setTimeout(() => setImmediate(() => done('answer')), 0);
      });
    const asking = withDeadline(1, 'it', work);
    const until = performance.now() + 20;
    while (performance.now() < until);
    expect(await asking).to.equal('answer');
  });
});
