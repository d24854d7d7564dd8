import { expect } from 'chai';
import { MemoryStreamSlots } from '../../../src/adapters/memory/limits/memory-stream-slots.js';
import { FallbackStreamSlots } from '../../../src/adapters/resilience/fallback-stream-slots.js';
import type {
  HeldSlot,
  SlotRequest,
  StreamSlots,
} from '../../../src/application/ports/limits/stream-slots.js';
import { Unavailable, UnavailableAfterPause } from '../../../src/application/unavailable.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { NOON } from '../../support/objects/builders.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';

const memory = () => new MemoryStreamSlots({ clock: () => NOON, monotonicClock: () => 0, leaseSeconds: 30 });

/** Shared slots that can be made unavailable. */
class FakeShared implements StreamSlots {
  fault: Error | null = null;
  readonly stored = memory();
  readonly renewed: (readonly HeldSlot[])[] = [];

  async open(request: SlotRequest) {
    this.#failIfDown();
    return this.stored.open(request);
  }

  async renew(held: readonly HeldSlot[]) {
    this.renewed.push(held);
    this.#failIfDown();
    return this.stored.renew(held);
  }

  async close(slot: Pick<HeldSlot, 'subscription' | 'stream'>) {
    this.#failIfDown();
    await this.stored.close(slot);
  }

  async reduce(subscription: SubscriptionId, allowed: number) {
    this.#failIfDown();
    await this.stored.reduce(subscription, allowed);
  }

  async openByKey(subscription: SubscriptionId) {
    this.#failIfDown();
    return this.stored.openByKey(subscription);
  }

  onLost = this.stored.onLost.bind(this.stored);

  #failIfDown(): void {
    if (this.fault !== null) throw this.fault;
  }
}

describe('Slots of streams with a fallback (D51)', () => {
  const DOWN = new Unavailable('Redis');
  let shared: FakeShared;
  const instance = () => new FallbackStreamSlots(shared, memory());
  let slots: FallbackStreamSlots;
  let losses: string[];
  beforeEach(() => {
    shared = new FakeShared();
    slots = instance();
    losses = [];
    slots.onLost((_, why) => losses.push(why));
  });

  const of = aSubscription({ allowed: 3 });
  const open = async (count: number, by: StreamSlots = slots) => {
    const requests = Array.from({ length: count }, () => requestOf(of));
    for (const request of requests) expect((await by.open(request)).granted).to.equal(true);
    return requests;
  };
  const openNow = async (by: StreamSlots) => (await by.open(requestOf({ ...of, allowed: 0 }))).open;

  it('count only the streams of this instance while the shared ones are unavailable, also those opened before', async () => {
    const other = instance();
    await open(1);
    await open(2, other);
    expect((await slots.open(requestOf(of))).granted).to.equal(false);
    shared.fault = DOWN;
    expect(await slots.open(requestOf(of))).to.deep.include({ granted: true, open: 2, replaced: null });
    await open(1);
    expect((await slots.open(requestOf(of))).granted).to.equal(false);
  });

  it('count the streams of each key on this instance while the shared ones are unavailable', async () => {
    const [request] = await open(1);
    await open(1, instance());
    const counts = async () => [...(await slots.openByKey(of.subscription))];
    expect(await counts()).to.deep.equal([[request?.key, 2]]);
    shared.fault = DOWN;
    expect(await counts()).to.deep.equal([[request?.key, 1]]);
  });

  it('report no stream as lost in an outage, and renew all of them with the shared ones after it', async () => {
    const before = await open(1);
    shared.fault = DOWN;
    const held = [...before, ...(await open(2))].map((request) => heldBy(request));
    expect(await slots.renew(held)).to.deep.equal([]);
    shared.fault = null;
    expect(await slots.renew(held)).to.deep.equal([]);
    expect(shared.renewed).to.deep.equal([held, held]);
    expect(await openNow(shared.stored)).to.equal(3);
  });

  it('try the shared ones at each renewal of an outage, so that these know that the instance is not paused', async () => {
    shared.fault = DOWN;
    for (let i = 0; i < 3; i += 1) await slots.renew([]);
    expect(shared.renewed).to.have.length(3);
  });

  it('give a stream that resumes in an outage the slot of one of this instance', async () => {
    await open(3);
    shared.fault = DOWN;
    const answer = await slots.open(requestOf(of, { isResumed: true }));
    expect(answer).to.include({ granted: true, open: 3 });
    expect(losses).to.deep.equal(['replaced']);
  });

  it('tell about losses of shared slots', async () => {
    await open(3);
    await instance().open(requestOf(of, { isResumed: true }));
    expect(losses).to.deep.equal(['replaced']);
  });

  it('return the streams that hold no shared slot', async () => {
    const [first] = await open(1);
    if (first === undefined) throw new Error('no stream');
    await shared.stored.reduce(of.subscription, 0);
    expect(await slots.renew([heldBy(first)])).to.deep.equal([first.stream]);
  });

  it('forget a stream that is closed, here and in the shared ones', async () => {
    const [first] = await open(3);
    if (first === undefined) throw new Error('no stream');
    await slots.close(first);
    expect(await openNow(shared.stored)).to.equal(2);
    shared.fault = DOWN;
    expect(await openNow(slots)).to.equal(2);
  });

  it('lose a close in an outage without an error', async () => {
    const [first] = await open(3);
    if (first === undefined) throw new Error('no stream');
    shared.fault = DOWN;
    await slots.close(first);
    expect(await openNow(slots)).to.equal(2);
    shared.fault = null;
    expect(await openNow(shared.stored)).to.equal(3);
  });

  it('do not count a stream again that is closed while a renewal is under way', async () => {
    const requests = await open(2);
    const renewing = slots.renew(requests.map((request) => heldBy(request)));
    for (const request of requests) await slots.close(request);
    await renewing;
    shared.fault = DOWN;
    expect(await openNow(slots)).to.equal(0);
  });

  it('end the newest streams of this instance in an outage, and of all instances after it (D52)', async () => {
    const other = instance();
    const [mine, others] = [await open(2), await open(1, other)];
    shared.fault = DOWN;
    await slots.reduce(of.subscription, 1);
    expect(losses).to.deep.equal(['reduced']);
    shared.fault = null;
    const heard: unknown[] = [];
    other.onLost((stream) => heard.push(stream));
    const [kept] = mine;
    if (kept === undefined) throw new Error('no stream');
    await slots.renew([{ ...heldBy(kept), allowed: 1 }]);
    expect(await openNow(shared.stored)).to.equal(1);
    expect(heard).to.include(others[0]?.stream);
    await open(0);
    await slots.renew([{ ...heldBy(kept), allowed: 0 }]);
    expect(await openNow(shared.stored), 'reduced once').to.equal(1);
  });

  it('repeat a call after a pause of this process as soon as the shared ones answer (T17)', async () => {
    await open(2, instance());
    let answered: (isAnswered: boolean) => void = () => {};
    shared.fault = new UnavailableAfterPause(
      'Redis',
      new Promise((done) => {
        answered = done;
      }),
    );
    const waiting = slots.open(requestOf(of));
    await Promise.resolve();
    shared.fault = null;
    answered(true);
    expect(await waiting).to.include({ granted: true, open: 3 });
  });

  it('count alone if the shared ones do not answer after a pause either', async () => {
    await open(3, instance());
    shared.fault = new UnavailableAfterPause('Redis', Promise.resolve(false));
    expect(await slots.open(requestOf(of))).to.include({ granted: true, open: 1 });
  });

  it('do not hide a bug of the shared ones', async () => {
    shared.fault = new TypeError('bug');
    for (const call of [
      () => slots.open(requestOf(of)),
      () => slots.renew([]),
      () => slots.close(requestOf(of)),
    ]) {
      expect(await call().catch((thrown: unknown) => thrown)).to.equal(shared.fault);
    }
  });

  it('tell no listener that was removed', async () => {
    const heard: string[] = [];
    slots.onLost((_, why) => heard.push(why))();
    await open(1);
    await slots.reduce(of.subscription, 0);
    expect([heard, losses]).to.deep.equal([[], ['reduced']]);
  });
});
