import { expect } from 'chai';
import type {
  SlotRequest,
  StreamId,
  StreamSlots,
} from '../../../src/application/ports/limits/stream-slots.js';
import { REPLACED_MAX } from '../../../src/domain/limits/streams.js';
import { MINUTE, SECOND } from '../../../src/domain/moment.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';
import { until } from '../../support/until.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const ROUNDS = 10;

eachAdapter('StreamSlots', contracts.streamSlots, (instance) => {
  const one = async () => (await instance()).slots;
  const pair = async () => [await one(), await one()] as const;
  /** Opens streams one after the other, in turn on each of the slots. */
  const openAll = async (requests: readonly SlotRequest[], ...slots: readonly StreamSlots[]) => {
    for (const [i, request] of requests.entries()) {
      const answer = await slots[i % slots.length]?.open(request);
      expect(answer).to.deep.include({ granted: true, open: i + 1, replaced: null });
    }
  };
  /** The streams that lost a slot on any of the instances, and why. */
  const lossesOn = (...slots: readonly StreamSlots[]) => {
    const losses = new Map<StreamId, string>();
    for (const each of slots) each.onLost((stream, why) => void losses.set(stream, why));
    return losses;
  };

  it('grant exactly 25 of 50 streams that open at once on two instances (D51)', async () => {
    const [left, right] = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const of = aSubscription({ allowed: 25 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? left : right).open(requestOf(of))),
      );
      const granted = answers.filter((answer) => answer.granted);
      expect(granted.map(({ open }) => open).sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 25 }, (_, i) => i + 1),
      );
      expect(answers.filter((answer) => !answer.granted)).to.deep.equal(
        Array(25).fill({ granted: false, open: 25 }),
      );
    }
  });

  it('keep subscriptions apart, and those of one subscription together for all its keys (D51)', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 2 });
    await openAll([requestOf(of, { key: 'k1' }), requestOf(of, { key: 'k2' })], left, right);
    expect((await left.open(requestOf(of))).granted).to.equal(false);
    expect((await right.open(requestOf(aSubscription({ allowed: 2 })))).open).to.equal(1);
  });

  it('count the open streams of each key over two instances (D51)', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 5 });
    const requests = ['k1', 'k2', 'k1', 'k1'].map((key) => requestOf(of, { key }));
    await openAll(requests, left, right);
    const [first, second] = [requests[0], requests[1]];
    const counts = async (slots: StreamSlots) => [...(await slots.openByKey(of.subscription))].sort();
    for (const slots of [left, right])
      expect(await counts(slots)).to.deep.equal([
        [first?.key, 3],
        [second?.key, 1],
      ]);
    for (const request of [first, second]) if (request !== undefined) await left.close(request);
    for (const slots of [left, right]) expect(await counts(slots)).to.deep.equal([[first?.key, 2]]);
    expect(await left.openByKey(aSubscription({ allowed: 5 }).subscription)).to.deep.equal(new Map());
  });

  it('answer a repeated call for the same stream with the slot that it has', async () => {
    const slots = await one();
    const request = requestOf(aSubscription({ allowed: 1 }));
    await openAll([request], slots);
    expect(await slots.open(request)).to.deep.include({ granted: true, open: 1, replaced: null });
  });

  it('give a stream that resumes the slot of the oldest stream of the same key, and say so (D51)', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 3 });
    const open = [requestOf(of, { key: 'other' }), requestOf(of), requestOf(of)];
    await openAll(open, left, right);
    const losses = lossesOn(left, right);
    const resumed = requestOf(of, { isResumed: true });
    const replaced = open[1]?.stream;
    expect(await left.open(resumed)).to.deep.include({ granted: true, open: 3, replaced });
    await until([[replaced, 'replaced']], () => [...losses]);
    expect((await right.open(requestOf(of))).granted).to.equal(false);
  });

  it('replace a different stream for each of several that resume at once', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 5 });
    const open = Array.from({ length: 5 }, () => requestOf(of));
    await openAll(open, left, right);
    const answers = await Promise.all(
      open.map((_, i) => (i % 2 === 0 ? left : right).open(requestOf(of, { isResumed: true }))),
    );
    const replaced = answers.map((answer) => (answer.granted ? answer.replaced : null));
    expect(replaced).to.have.members(open.map(({ stream }) => stream));
  });

  it('refuse a stream that does not resume, or whose key has no other stream (D51)', async () => {
    const slots = await one();
    const of = aSubscription({ allowed: 1 });
    await openAll([requestOf(of)], slots);
    const refused = { granted: false, open: 1 };
    expect(await slots.open(requestOf(of))).to.deep.equal(refused);
    expect(await slots.open(requestOf(of, { key: 'other', isResumed: true }))).to.deep.equal(refused);
  });

  it('never give away the slot of a client that answered a ping within 20 s (D51)', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 2 });
    const [alive, silent] = [requestOf(of), requestOf(of)];
    await openAll([alive, silent], left, right);
    await left.renew([heldBy(alive, { secondsSincePong: 19 })]);
    await right.renew([heldBy(silent, { secondsSincePong: 20.5 })]);
    expect(await right.open(requestOf(of, { isResumed: true }))).to.include({ replaced: silent.stream });
    await left.renew([heldBy(alive)]);
    expect(await right.open(requestOf(of, { isResumed: true }))).to.include({ replaced: alive.stream });
  });

  it('replace at most 6 streams of a key in 10 minutes, by the clock of the service (D51)', async () => {
    const [left, right] = await pair();
    const { advance } = await instance();
    const of = aSubscription({ allowed: 2 });
    await openAll([requestOf(of), requestOf(of, { key: 'other' })], left, right);
    const resume = async (key?: string) =>
      (await left.open(requestOf(of, { isResumed: true, ...(key && { key }) }))).granted;
    for (let i = 0; i < REPLACED_MAX; i += 1) {
      expect(await resume()).to.equal(true);
      advance(MINUTE);
    }
    expect([await resume(), await resume('other')]).to.deep.equal([false, true]);
    advance(4 * MINUTE - SECOND);
    expect(await resume()).to.equal(false);
    advance(SECOND);
    expect([await resume(), await resume()]).to.deep.equal([true, false]);
  });

  it('are free when a lease ends that nobody renews, and not before (D51)', async () => {
    const [{ shortLeases: left }, { shortLeases: right }] = [await instance(), await instance()];
    const of = aSubscription({ allowed: 2 });
    const [renewed, crashed] = [requestOf(of), requestOf(of)];
    await openAll([renewed, crashed], left);
    const next = requestOf(of);
    await until(true, async () => {
      await left.renew([heldBy(renewed)]);
      return (await right.open(next)).granted;
    });
    expect(await right.open(requestOf(of))).to.deep.include({ granted: false, open: 2 });
  });

  it('are taken again by a renewal after a pause if they are free, and are lost otherwise', async () => {
    const [{ shortLeases: left }, { shortLeases: right }] = [await instance(), await instance()];
    for (const isTaken of [false, true]) {
      const of = aSubscription({ allowed: 1 });
      const [paused, other] = [requestOf(of), requestOf(of)];
      await openAll([paused], left);
      await until(true, async () => (await right.open(other)).granted);
      if (!isTaken) await right.close(other);
      const lost = await left.renew([heldBy(paused, { secondsOpen: 60 })]);
      expect(lost).to.deep.equal(isTaken ? [paused.stream] : []);
      expect(await right.open(requestOf(of))).to.deep.include({ granted: false, open: 1 });
    }
  });

  it('are free as soon as they are closed, also for a stream that holds none', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 2 });
    const [first, second] = [requestOf(of), requestOf(of)];
    await openAll([first, second], left, right);
    for (const slots of [left, right, left]) await slots.close(first);
    expect(await right.open(requestOf(of))).to.include({ granted: true, open: 2 });
    expect((await right.open(requestOf(of))).granted).to.equal(false);
  });

  it('stay free if they are closed while a renewal is under way', async () => {
    const slots = await one();
    for (let round = 0; round < ROUNDS; round += 1) {
      const of = aSubscription({ allowed: 1 });
      const request = requestOf(of);
      await openAll([request], slots);
      const renewing = slots.renew([heldBy(request)]);
      await Promise.all([renewing, slots.close(request)]);
      expect((await slots.open(requestOf(of))).granted).to.equal(true);
    }
  });

  it('end the newest streams beyond a smaller plan (D52)', async () => {
    const [left, right] = await pair();
    const of = aSubscription({ allowed: 5 });
    const open = Array.from({ length: 5 }, () => requestOf(of));
    await openAll(open, left, right);
    const losses = lossesOn(left, right);
    await left.reduce(of.subscription, 2);
    await right.reduce(of.subscription, 2);
    const newest = open.slice(2).map(({ stream }) => stream);
    await until(3, () => losses.size);
    expect([...losses.keys()]).to.have.members(newest);
    expect(new Set(losses.values())).to.deep.equal(new Set(['reduced']));
    expect(await left.open(requestOf({ ...of, allowed: 2 }))).to.deep.include({ granted: false, open: 2 });
  });

  it('are not taken again by a stream that was replaced or reduced, even if one is free', async () => {
    const slots = await one();
    const of = aSubscription({ allowed: 2 });
    const [first, second, third] = [requestOf(of), requestOf(of), requestOf(of, { isResumed: true })];
    await openAll([first, second], slots);
    await slots.open(third);
    await slots.reduce(of.subscription, 1);
    await slots.close(second);
    const held = [first, second, third].map((request) => heldBy(request));
    expect(await slots.renew(held.filter((_, i) => i !== 1))).to.deep.equal([first.stream, third.stream]);
    expect(await slots.open(requestOf(of))).to.include({ granted: true, open: 1 });
  });

  it('tell no listener that was removed, and every other one, even if one fails', async () => {
    const slots = await one();
    const of = aSubscription({ allowed: 1 });
    const losses: string[] = [];
    slots.onLost(() => losses.push('removed'))();
    slots.onLost(() => {
      throw new Error('bug in a listener');
    });
    slots.onLost((_, why) => losses.push(why));
    await openAll([requestOf(of)], slots);
    await slots.open(requestOf(of, { isResumed: true }));
    await until(['replaced'], () => losses);
  });

  it('keep the order in which streams opened, also of a stream that takes a slot again', async () => {
    const [{ shortLeases: left }, { shortLeases: right }] = [await instance(), await instance()];
    const of = aSubscription({ allowed: 2 });
    const [oldest, newer] = [requestOf(of), requestOf(of)];
    await openAll([oldest], left);
    const other = requestOf({ ...of, allowed: 1 });
    await until(true, async () => (await right.open(other)).granted);
    await right.close(other);
    await openAll([newer], right);
    await left.renew([heldBy(oldest, { secondsOpen: 60 })]);
    expect(await right.open(requestOf(of, { isResumed: true }))).to.include({ replaced: oldest.stream });
  });
});
