import { expect } from 'chai';
import sinon from 'sinon';
import { Writability } from '../../../src/adapters/resilience/writability.js';
import { Unavailable, Unwritable } from '../../../src/application/unavailable.js';

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

describe('The writability of a store', () => {
  const refusal = new Unwritable('the store', 'it is read-only', new Error('25006'));
  let clock: sinon.SinonFakeTimers;
  /** The error of the next probes; null if they succeed. */
  let probeError: Error | null;
  let probeArguments: (Unwritable | null)[];
  let answersReads: boolean;
  let store: Writability;
  let changes: (string | null)[];
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    probeError = null;
    answersReads = true;
    probeArguments = [];
    changes = [];
    store = new Writability({
      answersReads: () => answersReads,
      what: 'the store',
      probe: async (last) => {
        probeArguments.push(last);
        if (probeError !== null) throw probeError;
      },
    });
    store.onChange((latest) => changes.push(latest?.reason ?? null));
  });
  afterEach(() => {
    store.stop();
    clock.restore();
  });
  const write = (fault: Error | null = null) =>
    faultOf(store.run(() => (fault === null ? Promise.resolve('written') : Promise.reject(fault))));

  it('changes at the first refused write, and is reported once for any number of refusals', async () => {
    await store.start();
    for (let i = 0; i < 5; i += 1) await write(refusal);
    expect(changes).to.deep.equal(['it is read-only']);
    expect(store.refusal).to.equal(refusal);
  });

  it('does not affect answers and other errors, and every write is still tried', async () => {
    const faults = [new Error('bug'), new Unavailable('the store', new Error('gone'))];
    for (const fault of faults) expect(await write(fault)).to.equal(fault);
    await write(refusal);
    expect(await store.run(async () => 'written')).to.equal('written');
    expect(changes).to.deep.equal(['it is read-only']);
  });

  const unlessSilent = () => faultOf(store.runUnlessSilent(async () => 'written'));
  const silent = new Unavailable('the store', new Error('Query read timeout'));

  it('is lost after three probes in a row without an answer, and then refuses writes that must not wait', async () => {
    await store.start();
    probeError = silent;
    await clock.tickAsync(1_000 + 300);
    expect([changes, await unlessSilent()]).to.deep.equal([[], 'answered']);
    await clock.tickAsync(300);
    expect(changes).to.deep.equal(['it answers reads, and no write in time']);
    expect(await unlessSilent()).to.be.instanceOf(Unwritable);
    probeError = null;
    await clock.tickAsync(300);
    expect([changes.at(-1), await unlessSilent()]).to.deep.equal([null, 'answered']);
  });

  it('is not lost by silence while no read is answered either, or while the store was not asked', async () => {
    await store.start();
    [probeError, answersReads] = [silent, false];
    await clock.tickAsync(10_000);
    [probeError, answersReads] = [new Unavailable('the store'), true];
    await clock.tickAsync(10_000);
    expect([changes, await unlessSilent()]).to.deep.equal([[], 'answered']);
  });

  it('removes the cause from a refusal, because it was already reported', async () => {
    const thrown = await write(refusal);
    expect(thrown).to.be.instanceOf(Unwritable).and.instanceOf(Unavailable);
    expect(thrown).to.have.property('reason', 'it is read-only');
    expect(thrown).not.to.have.property('cause');
  });

  it('is lost and restored by the probe alone if there are no writes', async () => {
    await store.start();
    probeError = refusal;
    await clock.tickAsync(1_000);
    expect(changes).to.deep.equal(['it is read-only']);
    probeError = null;
    await clock.tickAsync(300);
    expect(changes).to.deep.equal(['it is read-only', null]);
    expect(store.refusal).to.equal(null);
  });

  it('is restored by a probe only if no write was refused since the previous probe', async () => {
    await store.start();
    for (let i = 0; i < 10; i += 1) {
      await write(refusal);
      await clock.tickAsync(300);
    }
    expect(changes).to.deep.equal(['it is read-only']);
    await clock.tickAsync(300);
    expect(changes).to.deep.equal(['it is read-only', null]);
  });

  it('is not restored by a probe during which a write was refused', async () => {
    let answer = () => {};
    const slow = new Writability({
      answersReads: () => true,
      what: 'the store',
      probe: () =>
        new Promise((done) => {
          answer = done;
        }),
    });
    const starting = slow.start();
    await faultOf(slow.run(() => Promise.reject(refusal)));
    answer();
    await starting;
    expect(slow.refusal).to.equal(refusal);
    slow.stop();
  });

  it('does not change while the store is unavailable', async () => {
    await store.start();
    probeError = new Unavailable('the store');
    await clock.tickAsync(5_000);
    expect(changes).to.deep.equal([]);
    await write(refusal);
    await clock.tickAsync(5_000);
    expect(changes).to.deep.equal(['it is read-only']);
  });

  it('is probed with the last refusal, so that the probe can check its cause', async () => {
    const other = new Unwritable('the store', 'its disk is full');
    await store.start();
    await write(refusal);
    await write(other);
    await clock.tickAsync(300);
    expect(probeArguments).to.deep.equal([null, other]);
    expect(changes).to.deep.equal(['it is read-only']);
  });

  it('fails the start with any other error, and is no longer probed after a stop', async () => {
    probeError = new Error('bug');
    expect(await faultOf(store.start())).to.equal(probeError);
    probeError = null;
    await store.start();
    store.stop();
    const probes = probeArguments.length;
    await clock.tickAsync(10_000);
    expect(probeArguments).to.have.length(probes);
  });
});
