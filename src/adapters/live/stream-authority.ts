import type { CheckStream, StreamAccess } from '../../application/limits/check-stream.js';
import type { AccountChange } from '../../application/ports/change-logs.js';
import type { Clock } from '../../application/ports/clock.js';
import type { StreamSlots } from '../../application/ports/limits/stream-slots.js';
import { Unavailable } from '../../application/unavailable.js';
import { setLimits } from '../../domain/keys/key-controls.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { whyAddressRefused } from '../../domain/limits/admission.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { Stream } from './stream.js';

/** Keys that are checked at the same time, so that a change of all accounts does not send all look-ups at once. */
const CHECKS_MAX = 100;

type Parts = {
  readonly checkStream: CheckStream;
  readonly streamSlots: Pick<StreamSlots, 'reduce'>;
  readonly clock: Clock;
  readonly end: (stream: Stream, why: Refusal) => void;
  readonly report: (fault: unknown) => void;
};

/** Ends streams whose key or subscription no longer admits them (D52). */
export class StreamAuthority {
  readonly #parts: Parts;
  readonly #byHash = new Map<KeyHash, Set<Stream>>();
  /** Keys that are to be checked. */
  readonly #due = new Set<KeyHash>();
  /** Keys whose check failed. They are checked again at the next tick. */
  readonly #failed = new Set<KeyHash>();
  /** The streams whose key has a grace window or an expiry. */
  readonly #ending = new Set<Stream>();
  /** The last check of each key that began. The answer of an earlier one may be older than its. */
  readonly #last = new Map<KeyHash, object>();
  #checks = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The key is checked once more, because it may have changed since it was admitted. */
  add(stream: Stream): void {
    const streams = this.#byHash.get(stream.hash) ?? new Set();
    streams.add(stream);
    this.#byHash.set(stream.hash, streams);
    this.#due.add(stream.hash);
    this.#checkDue();
  }

  remove(stream: Stream): void {
    this.#ending.delete(stream);
    const streams = this.#byHash.get(stream.hash);
    streams?.delete(stream);
    if (streams?.size === 0) this.#byHash.delete(stream.hash);
  }

  changed({ keys }: AccountChange): void {
    for (const hash of keys === 'all' ? this.#byHash.keys() : keys)
      if (this.#byHash.has(hash)) this.#due.add(hash);
    this.#checkDue();
  }

  /** Called regularly: also ends the streams whose grace window has ended or whose key has expired, and tries failed checks again. */
  tick(): void {
    if (this.#ending.size > 0) {
      const now = this.#parts.clock();
      for (const { endsAt, hash } of this.#ending) if (endsAt !== null && endsAt <= now) this.#due.add(hash);
    }
    for (const hash of this.#failed) this.#due.add(hash);
    this.#failed.clear();
    this.#checkDue();
  }

  #checkDue(): void {
    for (const hash of this.#due) {
      if (this.#checks >= CHECKS_MAX) return;
      this.#due.delete(hash);
      this.#checks += 1;
      void this.#check(hash).finally(() => {
        this.#checks -= 1;
        this.#checkDue();
      });
    }
  }

  async #check(hash: KeyHash): Promise<void> {
    const { checkStream, report } = this.#parts;
    const check = {};
    this.#last.set(hash, check);
    try {
      const access = await checkStream(hash);
      if (this.#last.get(hash) === check) await this.#apply(hash, access);
    } catch (fault) {
      // While the store is away, streams go on (D35), but not past the known end of their key. The next tick checks again.
      this.#endOverdue(hash);
      if (this.#byHash.has(hash)) this.#failed.add(hash);
      if (!(fault instanceof Unavailable)) report(fault);
    } finally {
      if (this.#last.get(hash) === check) this.#last.delete(hash);
    }
  }

  #endOverdue(hash: KeyHash): void {
    const now = this.#parts.clock();
    for (const stream of [...(this.#byHash.get(hash) ?? [])])
      if (stream.endsAt !== null && stream.endsAt <= now) this.#parts.end(stream, refuse('key_revoked'));
  }

  async #apply(hash: KeyHash, access: StreamAccess | Refusal): Promise<void> {
    const { streamSlots, end } = this.#parts;
    const streams = [...(this.#byHash.get(hash) ?? [])];
    if (isRefusal(access)) {
      for (const stream of streams) end(stream, access);
      return;
    }
    const { allowed, endsAt, subscription, controls } = access;
    const own = controls === null ? null : setLimits(controls);
    if (streams.some((stream) => stream.allowed > allowed)) await streamSlots.reduce(subscription, allowed);
    for (const stream of streams) {
      const elsewhere = whyAddressRefused(controls, stream.source);
      if (elsewhere !== null) end(stream, elsewhere);
      else this.#note(stream, { allowed, endsAt, own });
    }
  }

  #note(stream: Stream, { allowed, endsAt, own }: Pick<Stream, 'allowed' | 'endsAt' | 'own'>): void {
    stream.allowed = allowed;
    stream.own = own;
    stream.endsAt = endsAt;
    if (endsAt !== null && stream.endReason === null) this.#ending.add(stream);
    else this.#ending.delete(stream);
  }
}
