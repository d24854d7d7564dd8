import { expect } from 'chai';
import sinon from 'sinon';
import { Breaker, type BreakerState } from '../../../src/adapters/resilience/breaker.js';
import { guarded } from '../../../src/adapters/resilience/guarded.js';
import { NotNow, Unavailable, Unwritable } from '../../../src/application/unavailable.js';

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

describe('A breaker', () => {
  let clock: sinon.SinonFakeTimers;
  let isDown: boolean;
  let probes: number;
  let breaker: Breaker;
  let changes: BreakerState[];
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
    isDown = false;
    probes = 0;
    changes = [];
    breaker = new Breaker({
      what: 'the store',
      failingMs: 0,
      probe: async () => {
        probes += 1;
        if (isDown) throw new Unavailable('the store');
      },
    });
    breaker.onChange((state) => changes.push(state));
  });
  afterEach(() => {
    breaker.stop();
    clock.restore();
  });

  const failing = () => Promise.reject(new Unavailable('the store'));
  const fail = async (times: number) => {
    for (let i = 0; i < times; i += 1) await faultOf(breaker.run(failing));
  };

  it('passes every answer and error on unchanged while it is closed', async () => {
    const bug = new Error('bug');
    expect(await breaker.run(async () => 'answer')).to.equal('answer');
    for (let i = 0; i < 9; i += 1)
      expect(await faultOf(breaker.run(() => Promise.reject(bug)))).to.equal(bug);
    expect(breaker.state).to.equal('closed');
  });

  it('does not open for errors that the server answered: a transaction conflict, a refused write', async () => {
    const answeredErrors = [new NotNow('the store'), new Unwritable('the store', 'it is read-only')];
    for (const fault of answeredErrors) {
      for (let i = 0; i < 9; i += 1)
        expect(await faultOf(breaker.run(() => Promise.reject(fault)))).to.equal(fault);
    }
    expect(breaker.state).to.equal('closed');
  });

  it('opens at the third failure in a row, and then fails every call at once', async () => {
    await fail(2);
    await breaker.run(async () => {});
    await fail(2);
    expect(breaker.state).to.equal('closed');
    await fail(1);
    expect(breaker.state).to.equal('open');
    let isCalled = false;
    const fault = await faultOf(
      breaker.run(async () => {
        isCalled = true;
      }),
    );
    expect([isCalled, fault]).to.deep.equal([false, new Unavailable('the store')]);
  });

  it('is open from the start if the server does not answer', async () => {
    isDown = true;
    await breaker.start();
    expect([breaker.state, changes, probes]).to.deep.equal(['open', ['open'], 1]);
    isDown = false;
    await clock.tickAsync(500);
    expect(breaker.state).to.equal('closed');
  });

  it('probes while it is open, and closes as soon as a probe is answered', async () => {
    await breaker.start();
    isDown = true;
    await fail(3);
    await clock.tickAsync(5_000);
    expect(breaker.state).to.equal('open');
    expect(probes).to.be.at.least(9);
    isDown = false;
    await clock.tickAsync(500);
    expect(breaker.state).to.equal('closed');
    expect(changes).to.deep.equal(['open', 'closed']);
    expect(await breaker.run(async () => 'answer')).to.equal('answer');
  });

  it('notices an outage without any calls, and reports it once', async () => {
    await breaker.start();
    await clock.tickAsync(3_000);
    expect(probes).to.equal(4);
    isDown = true;
    await clock.tickAsync(3_000);
    expect(changes).to.deep.equal(['open']);
  });

  it('counts a probe without an answer as a failure', async () => {
    const silent = new Breaker({ what: 'the store', failingMs: 0, probe: () => new Promise(() => {}) });
    const starting = silent.start();
    await clock.tickAsync(10_000);
    await starting;
    expect(silent.state).to.equal('open');
    silent.stop();
  });

  it('stops probing when it is stopped', async () => {
    await breaker.start();
    breaker.stop();
    await clock.tickAsync(10_000);
    expect(probes).to.equal(1);
  });

  it('does not open for calls that fail at the same moment', async () => {
    const patient = new Breaker({ what: 'the store', probe: async () => {} });
    const now = sinon.stub(performance, 'now').returns(1_000);
    try {
      for (let i = 0; i < 9; i += 1) await faultOf(patient.run(failing));
      expect(patient.state).to.equal('closed');
      now.returns(1_199);
      await faultOf(patient.run(failing));
      expect(patient.state).to.equal('closed');
      now.returns(1_200);
      await faultOf(patient.run(failing));
      expect(patient.state).to.equal('open');
    } finally {
      now.restore();
    }
  });

  it('guards every method of a port, with a deadline if one is given, and judges by how the call ends', async () => {
    let isAnswering = true;
    class Port {
      #answers = 0;
      async quick(what: string) {
        this.#answers += 1;
        return `${what} ${this.#answers}`;
      }
      slow = () =>
        new Promise<string>((done, fail) => {
          const end = () => (isAnswering ? done('late') : fail(new Unavailable('the store')));
          setTimeout(end, 1_000);
        });
    }
    const port = guarded(new Port(), 'the store', breaker, { slow: 100 });
    const callSlow = async () => {
      const call = faultOf(port.slow());
      await clock.tickAsync(200);
      const fault = await call;
      await clock.tickAsync(1_000);
      return fault;
    };
    expect([await port.quick('a'), await port.quick('b')]).to.deep.equal(['a 1', 'b 2']);
    for (let i = 0; i < 5; i += 1) expect(await callSlow()).to.be.instanceOf(Unavailable);
    expect(breaker.state).to.equal('closed');
    isAnswering = false;
    for (let i = 0; i < 3; i += 1) await callSlow();
    expect(breaker.state).to.equal('open');
    expect(await faultOf(port.quick('c'))).to.be.instanceOf(Unavailable);
  });
});
