import { expect } from 'chai';
import sinon from 'sinon';
import { Writability } from '../../../src/adapters/resilience/writability.js';
import { Unavailable, Unwritable } from '../../../src/application/unavailable.js';

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );

describe('Whether a store takes writes', () => {
  const refusal = new Unwritable('the store', 'it is read-only', new Error('25006'));
  let clock: sinon.SinonFakeTimers;
  /** What the next probes find; null: writes go through. */
  let found: Error | null;
  let given: (Unwritable | null)[];
  let store: Writability;
  let changes: (string | null)[];
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    found = null;
    given = [];
    changes = [];
    store = new Writability({
      what: 'the store',
      probe: async (last) => {
        given.push(last);
        if (found !== null) throw found;
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

  it('is told at the first write that is refused, and once, however many follow', async () => {
    await store.start();
    for (let i = 0; i < 5; i += 1) await write(refusal);
    expect(changes).to.deep.equal(['it is read-only']);
    expect(store.refusal).to.equal(refusal);
  });

  it('passes answers and other faults on as they are, and every write is tried', async () => {
    const faults = [new Error('bug'), new Unavailable('the store', new Error('gone'))];
    for (const fault of faults) expect(await write(fault)).to.equal(fault);
    await write(refusal);
    expect(await store.run(async () => 'written')).to.equal('written');
    expect(changes).to.deep.equal(['it is read-only']);
  });

  it('throws a refusal on without its cause, which was told already', async () => {
    const thrown = await write(refusal);
    expect(thrown).to.be.instanceOf(Unwritable).and.instanceOf(Unavailable);
    expect(thrown).to.have.property('reason', 'it is read-only');
    expect(thrown).not.to.have.property('cause');
  });

  it('is noticed by the probe where nobody writes, and comes back by it', async () => {
    await store.start();
    found = refusal;
    await clock.tickAsync(1_000);
    expect(changes).to.deep.equal(['it is read-only']);
    found = null;
    await clock.tickAsync(300);
    expect(changes).to.deep.equal(['it is read-only', null]);
    expect(store.refusal).to.equal(null);
  });

  it('comes back only when no write was refused since the probe before: the probe may see less than the writes', async () => {
    await store.start();
    for (let i = 0; i < 10; i += 1) {
      await write(refusal);
      await clock.tickAsync(300);
    }
    expect(changes).to.deep.equal(['it is read-only']);
    await clock.tickAsync(300);
    expect(changes).to.deep.equal(['it is read-only', null]);
  });

  it('is not told to be back by a probe during which a write was refused', async () => {
    let answer = () => {};
    const slow = new Writability({
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

  it('stays as it was while the store is away', async () => {
    await store.start();
    found = new Unavailable('the store');
    await clock.tickAsync(5_000);
    expect(changes).to.deep.equal([]);
    await write(refusal);
    await clock.tickAsync(5_000);
    expect(changes).to.deep.equal(['it is read-only']);
  });

  it('gives the probe the latest refusal, which it is to undo', async () => {
    const other = new Unwritable('the store', 'its disk is full');
    await store.start();
    await write(refusal);
    await write(other);
    await clock.tickAsync(300);
    expect(given).to.deep.equal([null, other]);
    expect(changes).to.deep.equal(['it is read-only']);
  });

  it('ends the start with a fault that is neither, and is not probed any more once stopped', async () => {
    found = new Error('bug');
    expect(await faultOf(store.start())).to.equal(found);
    found = null;
    await store.start();
    store.stop();
    const probes = given.length;
    await clock.tickAsync(10_000);
    expect(given).to.have.length(probes);
  });
});
