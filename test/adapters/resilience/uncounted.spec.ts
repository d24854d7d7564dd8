import { expect } from 'chai';
import { Breaker } from '../../../src/adapters/resilience/breaker.js';
import { uncounted } from '../../../src/adapters/resilience/uncounted.js';
import { NotNow, Unavailable } from '../../../src/application/unavailable.js';

describe('Calls that a breaker does not count', () => {
  const thrown = (work: Promise<unknown>) => work.catch((fault: unknown) => fault);
  const late = async () => {
    throw new Unavailable('the store');
  };

  it('do not open it, however many get no answer in time', async () => {
    const breaker = new Breaker({ what: 'the store', failingMs: 0, probe: late });
    const calls = uncounted(breaker, 'the store');
    for (let i = 0; i < 20; i += 1) expect(await thrown(calls.run(late))).to.be.instanceOf(NotNow);
    expect(await calls.run(async () => 'answer')).to.equal('answer');
    expect(breaker.state).to.equal('closed');
  });

  it('are refused while it is open, and their bugs stay bugs', async () => {
    const breaker = new Breaker({ what: 'the store', failingMs: 0, probe: late });
    const calls = uncounted(breaker, 'the store');
    const bug = new TypeError('bug');
    expect(await thrown(calls.run(() => Promise.reject(bug)))).to.equal(bug);
    for (let i = 0; i < 3; i += 1) await thrown(breaker.run(late));
    expect(breaker.state).to.equal('open');
    let isCalled = false;
    const called = async () => {
      isCalled = true;
    };
    expect(await thrown(calls.run(called))).to.be.instanceOf(Unavailable);
    expect(isCalled).to.equal(false);
  });
});
