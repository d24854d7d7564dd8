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
  it('returns an answer that arrives in time', async () => {
    expect(await withDeadline(1_000, 'it', async () => 'answer')).to.equal('answer');
  });

  it('throws an error that names the unavailable server if no answer arrives', async () => {
    const fault = await faultOf(withDeadline(1, 'the store', never));
    expect(fault).to.be.instanceOf(Unavailable).with.property('message', 'the store is unavailable');
  });

  it('passes an error of the work on unchanged', async () => {
    const bug = new Error('bug');
    expect(await faultOf(withDeadline(1_000, 'it', () => Promise.reject(bug)))).to.equal(bug);
  });

  it('ignores an error of the work after the timeout', async () => {
    let fail: (fault: Error) => void = () => {};
    const late = new Promise<string>((_, no) => {
      fail = no;
    });
    expect(await faultOf(withDeadline(1, 'it', () => late))).to.be.instanceOf(Unavailable);
    fail(new Error('too late'));
    await new Promise((done) => setImmediate(done));
  });

  it('accepts an answer that arrived in time, even if this process was too busy to read it', async () => {
    const work = () =>
      new Promise<string>((done) => {
        // Like an answer on a socket: the event loop reads it after the timers.
        setTimeout(() => setImmediate(() => done('answer')), 0);
      });
    const answer = withDeadline(1, 'it', work);
    const until = performance.now() + 20;
    while (performance.now() < until);
    expect(await answer).to.equal('answer');
  });

  describe('after a pause of this process (T17)', () => {
    /** Blocks the event loop, as a stop of the process would. */
    const block = (ms: number) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };

    it('gives the whole time again to a call that could not be sent before the pause', async () => {
      const work = () =>
        new Promise<string>((done) => {
          setImmediate(() => setTimeout(() => done('answer'), 20));
        });
      const answer = withDeadline(500, 'it', work);
      block(700);
      expect(await answer).to.equal('answer');
    });

    it('throws if no answer arrives in this time either', async () => {
      const fault = faultOf(withDeadline(10, 'the store', never));
      block(200);
      expect(await fault).to.be.instanceOf(Unavailable);
    });
  });
});
