import { expect } from 'chai';
import { MemoryStreamSlots } from '../../../src/adapters/memory/limits/memory-stream-slots.js';
import type { SlotRequest } from '../../../src/application/ports/limits/stream-slots.js';
import { ENDED_KEPT_SECONDS, SLOT_LEASE_SECONDS } from '../../../src/domain/limits/streams.js';
import { MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';

/** Additions to the contract suite of `StreamSlots` (test/contract): here two clocks decide when a slot is free. */
describe('Slots of streams in memory', () => {
  let seconds: number;
  let clock: Moment;
  let slots: MemoryStreamSlots;
  beforeEach(() => {
    seconds = 1_000;
    clock = NOON;
    slots = new MemoryStreamSlots({
      clock: () => clock,
      monotonicClock: () => 1_000 * seconds,
      leaseSeconds: SLOT_LEASE_SECONDS,
    });
  });

  const of = aSubscription({ allowed: 1 });
  const isGranted = async (request: SlotRequest) => (await slots.open(request)).granted;
  const resumed = () => requestOf(of, { isResumed: true });

  it('are kept for the lease, and for one more after each renewal (D51)', async () => {
    const request = requestOf(of);
    await slots.open(request);
    seconds += 29.9;
    expect(await isGranted(requestOf(of))).to.equal(false);
    await slots.renew([heldBy(request)]);
    seconds += 29.9;
    expect(await isGranted(requestOf(of))).to.equal(false);
    seconds += 0.1;
    expect(await isGranted(requestOf(of))).to.equal(true);
  });

  it('do not depend on the clock of the service, which a test may move', async () => {
    await slots.open(requestOf(of));
    clock = plus(NOON, 10 * MINUTE);
    expect(await isGranted(requestOf(of))).to.equal(false);
  });

  it('are protected until 20 s after the answer to a ping (D51)', async () => {
    const request = requestOf(of);
    await slots.open(request);
    await slots.renew([heldBy(request, { secondsSincePong: 5 })]);
    seconds += 14.9;
    expect(await isGranted(resumed())).to.equal(false);
    seconds += 0.1;
    expect(await isGranted(resumed())).to.equal(true);
  });

  it('are deleted after they have expired, so that streams that were never closed do not fill the memory', async () => {
    for (let i = 0; i < 100; i += 1) await slots.open(requestOf(aSubscription({ allowed: 1 })));
    expect(slots.size).to.equal(100);
    seconds += SLOT_LEASE_SECONDS;
    await slots.open(requestOf(of));
    expect(slots.size).to.equal(1);
  });

  it('remember an ended stream for 10 minutes', async () => {
    const request = requestOf(of);
    await slots.open(request);
    await slots.reduce(of.subscription, 0);
    seconds += ENDED_KEPT_SECONDS - 1;
    await slots.open(requestOf(aSubscription({ allowed: 1 })));
    expect(await slots.renew([heldBy(request)])).to.deep.equal([request.stream]);
    seconds += SLOT_LEASE_SECONDS;
    await slots.open(requestOf(aSubscription({ allowed: 1 })));
    expect(await slots.renew([heldBy(request)])).to.deep.equal([]);
  });

  it('count streams that another store granted, also beyond the plan', async () => {
    const held = [requestOf(of), requestOf(of), requestOf(of)];
    slots.hold(held.map((request) => heldBy(request)));
    expect(await slots.open(requestOf(of))).to.deep.include({ granted: false, open: 3 });
    expect(await slots.renew(held.map((request) => heldBy(request)))).to.deep.equal([]);
  });
});
