import { expect } from 'chai';
import { CachedGate } from '../../src/adapters/caching/cached-gate.js';
import { MemorySignals } from '../../src/adapters/memory/memory-signals.js';
import type { GateEntry } from '../../src/application/ports/gate.js';
import { Unavailable } from '../../src/application/unavailable.js';
import type { KeyId } from '../../src/domain/api-key.js';
import type { KeyHash } from '../../src/domain/key-value.js';
import { MICROSECOND, MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import type { SubscriptionId } from '../../src/domain/subscription.js';
import { NOON } from '../support/builders.js';

const HASH = 'hash' as KeyHash;
const entry = (status: 'active' | 'suspended'): GateEntry => ({
  key: {
    id: 'key' as KeyId,
    scopes: ['events.read'],
    state: status === 'active' ? { status } : { status, causes: ['manual_hold'] },
  },
  subscription: { id: 'sub' as SubscriptionId, plan: 'pro', state: 'active', standing: { status: 'active' } },
});

/** A cache over a store whose answer the test sets, and which counts how often it is asked. */
function cacheOver(first: GateEntry | null | Error) {
  const store = { answer: first, asked: 0, whenAsked: () => Promise.resolve() };
  const clock = { now: NOON };
  const signals = new MemorySignals();
  const gate = new CachedGate({
    gate: {
      find: async () => {
        store.asked += 1;
        const { answer } = store;
        await store.whenAsked();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    signals,
    clock: () => clock.now,
    maxStale: 10 * MINUTE,
  });
  const hint = () => signals.send({ changed: 'account', keys: [HASH] });
  return { gate, store, clock, hint };
}

const away = new Unavailable('the store');

/** What a promise is rejected with. */
const fault = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe('CachedGate', () => {
  for (const known of [entry('active'), null]) {
    const what = known === null ? 'that there is no such key' : 'what it read';

    it(`keeps ${what} for 5 s, and not longer (D33, D39)`, async () => {
      const { gate, store, clock } = cacheOver(known);
      expect(await gate.find(HASH)).to.deep.equal(known);
      clock.now = plus(NOON, 5 * SECOND - MICROSECOND);
      expect(await gate.find(HASH)).to.deep.equal(known);
      expect(store.asked).to.equal(1);
      clock.now = plus(NOON, 5 * SECOND);
      await gate.find(HASH);
      expect(store.asked).to.equal(2);
    });

    it(`forgets ${what} with a hint`, async () => {
      const { gate, store, hint } = cacheOver(known);
      await gate.find(HASH);
      store.answer = entry('suspended');
      await hint();
      expect(await gate.find(HASH)).to.deep.equal(entry('suspended'));
    });

    it(`does not keep ${what} when a hint comes while it is read`, async () => {
      const { gate, store, hint } = cacheOver(known);
      store.whenAsked = async () => {
        store.whenAsked = () => Promise.resolve();
        store.answer = entry('suspended');
        await hint();
      };
      await gate.find(HASH);
      expect(await gate.find(HASH)).to.deep.equal(entry('suspended'));
    });
  }

  it('asks once for a hundred that ask at once', async () => {
    const { gate, store } = cacheOver(entry('active'));
    await Promise.all(Array.from({ length: 100 }, () => gate.find(HASH)));
    expect(store.asked).to.equal(1);
  });

  it('goes on with what it has while the store is away, for ten minutes (D35)', async () => {
    const { gate, store, clock } = cacheOver(entry('active'));
    await gate.find(HASH);
    store.answer = away;
    clock.now = plus(NOON, 10 * MINUTE - MICROSECOND);
    expect(await gate.find(HASH)).to.deep.equal(entry('active'));
    clock.now = plus(NOON, 10 * MINUTE);
    expect(await fault(gate.find(HASH))).to.equal(away);
  });

  it('says that it cannot tell, not “unknown”, of what it never read or was told to forget (D35)', async () => {
    const { gate, store, hint } = cacheOver(away);
    expect(await fault(gate.find(HASH))).to.equal(away);
    store.answer = entry('active');
    await gate.find(HASH);
    store.answer = away;
    await hint();
    expect(await fault(gate.find(HASH))).to.equal(away);
  });

  it('lets a bug through, whatever it has', async () => {
    const { gate, store, clock } = cacheOver(entry('active'));
    await gate.find(HASH);
    store.answer = new Error('a bug');
    clock.now = plus(NOON, MINUTE);
    expect(await fault(gate.find(HASH))).to.equal(store.answer);
  });
});
