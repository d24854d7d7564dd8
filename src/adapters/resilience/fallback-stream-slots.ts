import type {
  HeldSlot,
  RenewalOf,
  SlotAnswer,
  SlotLoss,
  SlotRequest,
  StreamId,
  StreamSlots,
} from '../../application/ports/limits/stream-slots.js';
import { Unavailable, UnavailableAfterPause } from '../../application/unavailable.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { Listeners } from '../listeners/listeners.js';

/** The slots of this process, which can count streams that other slots granted. */
export type LocalSlots = StreamSlots & {
  readonly hold: (held: readonly HeldSlot[]) => void;
};

/**
 * Slots that use local ones while the shared ones are unavailable (D51). The local slots always count the streams of this
 * instance, so that during an outage it has at most as many open as the plan allows.
 *
 * An outage ends no stream. The first renewal after it takes shared slots for all streams that are open, also for those that
 * were granted locally, because the shared slots count a missing slot as lost by the store.
 */
export class FallbackStreamSlots implements StreamSlots {
  readonly #shared: StreamSlots;
  readonly #local: LocalSlots;
  readonly #listeners = new Listeners<{ readonly stream: StreamId; readonly why: SlotLoss }>();
  /** The subscriptions whose plan became smaller while the shared slots were unavailable. */
  readonly #unreduced = new Set<SubscriptionId>();

  constructor(shared: StreamSlots, local: LocalSlots) {
    this.#shared = shared;
    this.#local = local;
    for (const slots of [shared, local])
      slots.onLost((stream, why) => this.#listeners.notify({ stream, why }));
  }

  open(request: SlotRequest): Promise<SlotAnswer> {
    const shared = async () => {
      const answer = await this.#shared.open(request);
      if (answer.granted) this.#local.hold([{ ...request, secondsOpen: 0, secondsSincePong: null }]);
      return answer;
    };
    return withFallback(shared, () => this.#local.open(request));
  }

  renew(held: readonly HeldSlot[], renewalOf: RenewalOf = 'all'): Promise<readonly StreamId[]> {
    // At once, because streams may be closed while the shared slots are renewed.
    const lostLocally = this.#local.renew(held);
    const shared = async () => {
      const lost = await this.#shared.renew(held, renewalOf);
      if (renewalOf === 'all') await this.#reduceAgain(held);
      return lost;
    };
    return withFallback(shared, () => lostLocally);
  }

  /** Best effort: a shared slot that cannot be closed is free when its lease ends. */
  async close(slot: Pick<HeldSlot, 'subscription' | 'stream'>): Promise<void> {
    await this.#local.close(slot);
    await withFallback(
      () => this.#shared.close(slot),
      async () => {},
    );
  }

  reduce(subscription: SubscriptionId, allowed: number): Promise<void> {
    return withFallback(
      () => this.#shared.reduce(subscription, allowed),
      () => {
        this.#unreduced.add(subscription);
        return this.#local.reduce(subscription, allowed);
      },
    );
  }

  openByKey(subscription: SubscriptionId): Promise<ReadonlyMap<KeyId, number>> {
    return withFallback(
      () => this.#shared.openByKey(subscription),
      () => this.#local.openByKey(subscription),
    );
  }

  onLost(listener: (stream: StreamId, why: SlotLoss) => void): () => void {
    return this.#listeners.add(({ stream, why }) => listener(stream, why));
  }

  /** After the streams of this instance are counted again. The plan may have changed since. */
  async #reduceAgain(held: readonly HeldSlot[]): Promise<void> {
    const allowed = new Map(held.map((one) => [one.subscription, one.allowed]));
    for (const subscription of this.#unreduced) {
      const most = allowed.get(subscription);
      if (most !== undefined) await this.#shared.reduce(subscription, most);
      this.#unreduced.delete(subscription);
    }
  }
}

/**
 * After a pause of this process the call is repeated as soon as the shared slots answer (T17). A call that had its effect
 * has the same effect again.
 */
async function withFallback<T>(shared: () => Promise<T>, local: () => Promise<T>): Promise<T> {
  try {
    return await shared();
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    if (fault instanceof UnavailableAfterPause && (await fault.answered)) return withFallback(shared, local);
    return local();
  }
}
