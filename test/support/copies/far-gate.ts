import { CachedGate } from '../../../src/adapters/caching/cached-gate.js';
import type { CopyUse } from '../../../src/adapters/caching/copy-use.js';
import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryGate } from '../../../src/adapters/memory/keys/memory-gate.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { LogPositions } from '../../../src/application/ports/change-logs.js';
import type { GateEntry, GateSnapshot, StoredGate } from '../../../src/application/ports/keys/gate.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type FreshKey, issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { accepted, auditContext } from '../objects/builders.js';
import { firstKey } from '../service/accounts.js';

export const MAX_STALE_MS = 600_000;
export const COMPARE_AFTER_MS = 1_000_000;

/** A lookup that the store has read and not answered yet. */
type Lookup = { readonly answer: () => void; readonly fail: () => void };

/** The gate of a store behind a cache. It counts lookups, and tests decide when it answers. */
export class RemoteGate implements StoredGate {
  asked = 0;
  fault: Error | null = null;
  slow = false;
  /** The gate of a server with an older state, which answers instead. */
  older: StoredGate | null = null;
  /** Runs synchronously during a lookup, after it has read. */
  whenAsked: () => void = () => {};
  readonly #lookups: Lookup[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #gate: StoredGate;

  constructor(gate: StoredGate) {
    this.#gate = gate;
  }

  async find(hash: KeyHash): Promise<GateEntry | null> {
    return (await this.snapshot(hash)).entry;
  }

  snapshot(hash: KeyHash): Promise<GateSnapshot> {
    this.asked += 1;
    if (this.fault !== null) return Promise.reject(this.fault);
    const answer = this.older?.snapshot(hash) ?? this.#gate.snapshot(hash);
    this.whenAsked();
    if (!this.slow) return Promise.resolve(answer);
    return new Promise((done, fail) => {
      this.#lookups.push({ answer: () => done(answer), fail: () => fail(new Unavailable('the store')) });
      for (const notify of this.#waiting.splice(0)) notify();
    });
  }

  /** Waits for the nth lookup while `slow`. */
  async question(n: number): Promise<Lookup> {
    for (;;) {
      const lookup = this.#lookups[n];
      if (lookup !== undefined) return lookup;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }
}

/** The reads of the change logs, as a test decides them. */
export class DecidedReads {
  /** The start of the last complete read. */
  readAt: number | null = 0;
  decided: CopyUse = 'current';
  positions: LogPositions | null = null;
  /** Requests that wait for a read. Each is told whether the copies are current then. */
  readonly waiting: ((isCurrent: boolean) => void)[] = [];
  reads = 0;

  isCurrent = () => this.decided === 'current';
  use = () => this.decided;
  untilCurrent = () => new Promise<boolean>((done) => this.waiting.push(done));
  readNow = async () => {
    this.reads += 1;
  };
}

/** A cached gate over a remote store. The clock does not advance by itself; tests set it. */
export function cachedGateInMemory() {
  const clock = { ms: 0 };
  const follower = new DecidedReads();
  const diverged: GateEntry[] = [];
  const stored = new MemoryAccounts();
  const invalidations = new MemoryInvalidations();
  const accounts = invalidatingAccounts(stored, invalidations);
  const far = new RemoteGate(new MemoryGate(stored));
  const gate = new CachedGate({
    ...{ gate: far, invalidations, follower, now: () => clock.ms },
    maxStaleMs: MAX_STALE_MS,
    compareAfterMs: COMPARE_AFTER_MS,
    onDivergence: (entry) => void diverged.push(entry),
    report: (fault) => {
      throw fault;
    },
  });
  return {
    clock,
    follower,
    diverged,
    /** Changes made here send no invalidation. */
    stored,
    invalidations: invalidations,
    /** Changes made here send invalidations. */
    accounts,
    far,
    gate,
    away: () => {
      far.fault = new Unavailable('the store');
    },
    status: async (hash: KeyHash) => (await gate.find(hash))?.key.state.status ?? null,
    failure: (hash: KeyHash) =>
      Promise.resolve(gate.find(hash)).then(
        (entry) => ({ answered: entry }),
        (fault: unknown) => fault,
      ),
  };
}

export async function revoke(into: Accounts, account: Account): Promise<void> {
  const { id } = firstKey(account);
  accepted(await into.change(account.id, (found) => revokeKey(found, id, 'manual', auditContext())));
}

export async function issue(into: Accounts, account: Account, fresh: FreshKey): Promise<void> {
  accepted(await into.change(account.id, (found) => issueKey(found, fresh, PLANS.pro, auditContext())));
}
