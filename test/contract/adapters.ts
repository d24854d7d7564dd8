import { announcingAccounts } from '../../src/adapters/caching/announcing-accounts.js';
import { CachedGate } from '../../src/adapters/caching/cached-gate.js';
import { MemoryAccounts } from '../../src/adapters/memory/memory-accounts.js';
import { MemoryCounters } from '../../src/adapters/memory/memory-counters.js';
import { MemoryFeedStore } from '../../src/adapters/memory/memory-feed-store.js';
import { MemoryGate } from '../../src/adapters/memory/memory-gate.js';
import { MemoryLastUsed } from '../../src/adapters/memory/memory-last-used.js';
import { MemorySignals } from '../../src/adapters/memory/memory-signals.js';
import type { Accounts } from '../../src/application/ports/accounts.js';
import type { Counters } from '../../src/application/ports/counters.js';
import type { FeedStore } from '../../src/application/ports/feed-store.js';
import type { Gate } from '../../src/application/ports/gate.js';
import type { LastUsed } from '../../src/application/ports/last-used.js';
import type { Signals } from '../../src/application/ports/signals.js';
import { MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import { NOON } from '../support/builders.js';

/** Opens one store and hands out as many instances over it as a test asks for. */
export type Open<Port> = () => Promise<{ instance: () => Promise<Port>; close: () => Promise<void> }>;

/** A gate beside the accounts whose keys it finds. `heard` answers when the hints sent so far have arrived. */
export type GateAndAccounts = {
  readonly gate: Gate;
  readonly accounts: Accounts;
  readonly heard: () => Promise<void>;
};

/** Counters, and whether one that stands above zero still does so many seconds from now. */
export type CountersAndLives = {
  readonly counters: Counters;
  readonly outlives: (counter: string, seconds: number) => Promise<boolean>;
};

const inMemory =
  <Port>(make: () => Port): Open<Port> =>
  async () => {
    const store = make();
    return { instance: async () => store, close: async () => {} };
  };

/** Every port and every adapter that must keep its contract: a new adapter is a line here, and nowhere else. */
export const contracts: {
  readonly accounts: Record<'memory', Open<Accounts>>;
  readonly counters: Record<'memory', Open<CountersAndLives>>;
  readonly feedStore: Record<'memory', Open<FeedStore>>;
  readonly gate: Record<'memory' | 'cached', Open<GateAndAccounts>>;
  readonly lastUsed: Record<'memory', Open<LastUsed>>;
  readonly signals: Record<'memory', Open<Signals>>;
} = {
  accounts: { memory: inMemory(() => new MemoryAccounts()) },
  counters: {
    memory: inMemory(() => {
      let now = NOON;
      const counters = new MemoryCounters(() => now);
      const outlives = async (counter: string, seconds: number) => {
        now = plus(NOON, seconds * SECOND);
        const { counts } = await counters.take([{ counter, capacity: 0, lifetimeSeconds: 1 }], 0);
        now = NOON;
        return counts[0] !== 0;
      };
      return { counters, outlives };
    }),
  },
  feedStore: { memory: inMemory(() => new MemoryFeedStore()) },
  gate: {
    memory: inMemory(() => {
      const accounts = new MemoryAccounts();
      return { accounts, gate: new MemoryGate(accounts), heard: async () => {} };
    }),
    cached: async () => {
      const stored = new MemoryAccounts();
      const signals = new MemorySignals();
      const accounts = announcingAccounts(stored, signals);
      const instance = async () => ({
        accounts,
        heard: async () => {},
        gate: new CachedGate({
          gate: new MemoryGate(stored),
          signals,
          clock: () => NOON,
          maxStale: 10 * MINUTE,
        }),
      });
      return { instance, close: async () => {} };
    },
  },
  lastUsed: { memory: inMemory(() => new MemoryLastUsed()) },
  signals: { memory: inMemory(() => new MemorySignals()) },
};

export function eachAdapter<Port>(
  port: string,
  adapters: Readonly<Record<string, Open<Port>>>,
  suite: (instance: () => Promise<Port>) => void,
): void {
  for (const [name, open] of Object.entries(adapters)) {
    describe(`${port}, kept by ${name}`, () => {
      let store: Awaited<ReturnType<Open<Port>>>;
      before(async () => {
        store = await open();
      });
      after(() => store.close());
      suite(() => store.instance());
    });
  }
}
