import { DELIVERING } from '../../../application/held-jobs.js';
import type {
  DeliveryStep,
  DestinationChanges,
  Destinations,
  StoredDestination,
} from '../../../application/ports/destinations/destinations.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { DestinationDecision } from '../../../domain/destinations/account-destinations.js';
import { DELIVERIES_SHOWN, type DeliveryEntry } from '../../../domain/destinations/delivery.js';
import type { Destination, DestinationId } from '../../../domain/destinations/destination.js';
import type { DestinationStatus } from '../../../domain/destinations/destination-state.js';
import type { Position } from '../../../domain/feed/position.js';
import { between, type Moment, SECOND } from '../../../domain/moment.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';
import type { MemoryOutbox } from '../accounts/memory-outbox.js';
import type { MemoryHeldLeases } from '../memory-held-leases.js';

/** The failing ones first, as in Postgres. */
const ORDER: Readonly<Record<DestinationStatus, number>> = { failing: 0, disabled: 1, active: 2, paused: 2 };
const RESET_AT_MOST_EVERY = 10 * SECOND;

type Parts = {
  readonly accounts: MemoryAccounts;
  readonly outbox: MemoryOutbox;
  readonly heldLeases: MemoryHeldLeases;
  readonly newest: () => Position;
  readonly clock: () => Moment;
};

/** Destinations of one process, for demos and tests. It needs no lock, because nothing is awaited between read and write. */
export class MemoryDestinations implements Destinations {
  readonly #parts: Parts;
  readonly #stored = new Map<DestinationId, StoredDestination>();
  readonly #removed = new Map<DestinationId, number>();
  #deliveries: DeliveryEntry[] = [];
  #version = 0;
  #generation = 0;
  #resetAt: Moment | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(account: AccountId): Promise<readonly StoredDestination[]> {
    return [...this.#stored.values()].filter(({ destination }) => destination.account === account);
  }

  async find(id: DestinationId): Promise<StoredDestination | null> {
    return this.#stored.get(id) ?? null;
  }

  async findByToken(hash: SecretHash): Promise<StoredDestination | null> {
    const isIt = ({ destination: { target } }: StoredDestination) =>
      target.kind === 'feed' && target.tokenHash === hash;
    return [...this.#stored.values()].find(isIt) ?? null;
  }

  async list(count: number): Promise<readonly StoredDestination[]> {
    const rank = ({ destination }: StoredDestination) => ORDER[destination.state.status];
    return [...this.#stored.values()]
      .sort((one, other) => rank(one) - rank(other) || other.version - one.version)
      .slice(0, count);
  }

  async change(
    account: AccountId,
    decide: (all: readonly Destination[]) => DestinationDecision | Refusal,
  ): Promise<Destination | null | Refusal> {
    const { accounts } = this.#parts;
    if (accounts.ofId(account) === null) return { refused: 'not_found', what: 'account' };
    const all = [...this.#stored.values()].map(({ destination }) => destination);
    const change = decide(all.filter((destination) => destination.account === account));
    if (isRefusal(change)) return change;
    const { id, next, entries } = change;
    if (next === null) this.#remove(id);
    else this.#store(next);
    accounts.noteNow(account, entries);
    return next;
  }

  async deliveries(id: DestinationId): Promise<readonly DeliveryEntry[]> {
    const of = this.#deliveries.filter(({ destination }) => destination === id);
    return of.slice(-DELIVERIES_SHOWN).reverse();
  }

  async note(entry: DeliveryEntry): Promise<void> {
    this.#deliveries.push(entry);
  }

  async changedAfter(version: number): Promise<DestinationChanges> {
    return {
      version: this.#version,
      generation: this.#generation,
      changed: [...this.#stored.values()].filter((stored) => stored.version > version),
      removed: [...this.#removed].flatMap(([id, removedAt]) => (removedAt > version ? [id] : [])),
    };
  }

  async record(holder: string, steps: readonly DeliveryStep[]): Promise<ReadonlySet<DestinationId>> {
    const recorded = new Set<DestinationId>();
    if (!this.#parts.heldLeases.isHeld(DELIVERING, holder)) return recorded;
    for (const { id, account, version, state, progress, entry, notices } of steps) {
      const stored = this.#stored.get(id);
      if (stored?.version !== version) continue;
      recorded.add(id);
      this.#stored.set(id, { version, destination: { ...stored.destination, state }, progress });
      if (entry === null) continue;
      this.#deliveries.push(entry);
      this.#parts.outbox.add(account, notices, entry.at);
    }
    return recorded;
  }

  async advance(holder: string, ids: readonly DestinationId[], position: Position): Promise<void> {
    if (!this.#parts.heldLeases.isHeld(DELIVERING, holder)) return;
    for (const id of ids) {
      const stored = this.#stored.get(id);
      if (stored === undefined || stored.progress.batch !== null) continue;
      if (stored.progress.position.n >= position.n) continue;
      this.#stored.set(id, { ...stored, progress: { ...stored.progress, position } });
    }
  }

  async reset(): Promise<void> {
    const now = this.#parts.clock();
    if (this.#resetAt !== null && between(this.#resetAt, now) < RESET_AT_MOST_EVERY) return;
    this.#resetAt = now;
    this.#generation += 1;
  }

  /** Removes all destinations of an account with their deliveries. */
  removeOf(account: AccountId): void {
    for (const [id, { destination }] of this.#stored) if (destination.account === account) this.#remove(id);
    this.#deliveries = this.#deliveries.filter(({ destination }) => this.#stored.has(destination));
  }

  /** Deletes deliveries that were tried until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const expired = this.#deliveries.filter(({ at }) => at <= until).slice(0, count);
    const deleted = new Set(expired);
    this.#deliveries = this.#deliveries.filter((entry) => !deleted.has(entry));
    return deleted.size;
  }

  #store(destination: Destination): void {
    this.#version += 1;
    const { id } = destination;
    const position = this.#parts.newest();
    const begins = { position, batch: null, generation: this.#generation };
    const progress = this.#stored.get(id)?.progress ?? begins;
    this.#stored.set(id, { destination, progress, version: this.#version });
  }

  #remove(id: DestinationId): void {
    this.#version += 1;
    if (this.#stored.delete(id)) this.#removed.set(id, this.#version);
  }
}
