import type { Account } from '../../domain/accounts/account.js';
import {
  BATCH_LIMITS,
  ITEMS_PER_PERMIT,
  isCatchingUp,
  type PushedKind,
  sentFrom,
} from '../../domain/destinations/batch-limits.js';
import { type Attempt, eventOf, isSlow, QUICK_MS } from '../../domain/destinations/delivery.js';
import {
  type Batch,
  begun,
  type DeliveryId,
  type DestinationKind,
  delivered,
  isResetDue,
  type Progress,
} from '../../domain/destinations/destination.js';
import { destinationNotices } from '../../domain/destinations/destination-notices.js';
import { stateAfter } from '../../domain/destinations/destination-state.js';
import { positionToken } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import { type Duration, type Moment, plus, SECOND } from '../../domain/moment.js';
import { isRefusal } from '../../domain/refusal.js';
import type { TakeReplayPermit } from '../limits/take-replay-permit.js';
import type { Clock } from '../ports/clock.js';
import type { Send } from '../ports/destinations/deliver.js';
import type { DeliveryStep } from '../ports/destinations/destinations.js';
import type { Collected, FeedBatches } from '../ports/destinations/feed-batches.js';
import { unlessUnavailable } from '../unavailable.js';
import type { BegunDelivery } from './delivery-workers.js';
import type { FollowedDestination } from './followed-destination.js';
import type { StepRecorder } from './step-recorder.js';

/** How long an outcome that could not be recorded waits, for the store or for the change of the owner. */
const RECORD_AGAIN_MS = 500;
/** The delay after a failure of this process. */
const OWN_FAULT: Duration = SECOND;
/** After the quota of the day is used up, a destination that catches up asks again after this time. */
const NO_PERMIT: Duration = 600 * SECOND;

type Parts = {
  readonly feedBatches: FeedBatches;
  readonly recorder: Pick<StepRecorder, 'record'>;
  readonly takeReplayPermit: TakeReplayPermit;
  readonly send: Send;
  /** Null for filters that this version cannot read. */
  readonly readFilter: (filter: string) => StreamFilter | null;
  readonly newDeliveryId: () => DeliveryId;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly note: (kind: DestinationKind, attempt: Attempt) => void;
};

type Context = {
  /** How often the feed returned to an older state. */
  readonly generation: number;
  readonly delivery: Pick<BegunDelivery, 'worker' | 'becomeSlow' | 'sent'>;
  /** False once the destination was removed, or loaded anew, or another process may deliver. */
  readonly isCurrent: () => boolean;
};

/** A batch whose bounds are stored, with its messages. */
type Ready = { readonly batch: Batch; readonly messages: readonly Buffer[] };

/**
 * Tries one batch of a destination: the one that was begun, else the next one. Its bounds are stored before it is sent, so that
 * every repeat has them (D68). Returns whether there may be more to do.
 */
export class DeliverOne {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(destination: FollowedDestination, owner: Account, context: Context): Promise<boolean> {
    const found = await this.#repeated(destination, context);
    const ready = found ?? (await this.#next(destination, owner, context));
    if (ready === 'nothing') return false;
    if (ready === 'waits') return true;
    await context.delivery.worker(ready.messages.reduce((sum, { length }) => sum + length, 0));
    // Another process may deliver by now.
    if (!context.isCurrent()) return true;
    const attempt = await this.#send(destination, ready, context);
    await this.#settle(destination, owner, ready, attempt, context);
    return true;
  }

  /** The batch that was begun, or a reset if there is none that the log still has; null if the next batch is to be found. */
  async #repeated(
    destination: FollowedDestination,
    { generation, isCurrent }: Context,
  ): Promise<Ready | 'waits' | null> {
    const { progress } = destination;
    const { batch, position } = progress;
    const isValid = await this.#isValid(progress);
    if (!isCurrent()) return 'waits';
    if (!isValid || (isResetDue(progress, generation) && hasResets(destination)))
      return this.#reset(destination, generation);
    if (batch === null) return null;
    if (batch.content === 'reset') return { batch, messages: [] };
    const filter = this.#parts.readFilter(batch.filter) ?? destination.filter;
    const found = await this.#parts.feedBatches.collect(filter, position, { until: batch.until });
    return found === 'gone' ? this.#reset(destination, generation) : { batch, messages: found.messages };
  }

  async #isValid({ position, batch }: Progress): Promise<boolean> {
    const { feedBatches } = this.#parts;
    if (batch !== null && !(await feedBatches.isValid(batch.until))) return false;
    return batch?.content === 'reset' || feedBatches.isValid(position);
  }

  #reset(destination: FollowedDestination, generation: number): Promise<Ready | 'waits'> {
    const newest = this.#parts.feedBatches.newest();
    const batch: Batch = {
      id: this.#parts.newDeliveryId(),
      filter: destination.stored.destination.filter,
      content: 'reset',
      from: newest,
      until: newest,
    };
    return this.#begin(destination, { batch, messages: [] }, generation);
  }

  async #next(
    destination: FollowedDestination,
    owner: Account,
    { generation, isCurrent }: Context,
  ): Promise<Ready | 'nothing' | 'waits'> {
    const { kind } = destination.stored.destination.target;
    if (kind === 'feed') return 'nothing';
    const found = await this.#changes(destination, kind, isCurrent);
    if (found === 'nothing' || found === 'waits') return found;
    if (found === 'gone') return this.#reset(destination, generation);
    if (this.#mustWait(destination, kind, found)) return 'waits';
    if (!(await this.#isPaid(destination, owner, found))) return 'waits';
    const [id, from] = [this.#parts.newDeliveryId(), destination.progress.position];
    const { filter } = destination.stored.destination;
    const batch: Batch = { id, filter, content: 'changes', from, until: found.until };
    const ready = await this.#begin(destination, { batch, messages: found.messages }, generation);
    if (ready !== 'waits') destination.notePaid(found);
    return ready;
  }

  /** The next changes that pass its filter. Its position moves past those that do not. */
  async #changes(
    destination: FollowedDestination,
    kind: PushedKind,
    isCurrent: () => boolean,
  ): Promise<Collected | 'nothing' | 'waits' | 'gone'> {
    const { feedBatches } = this.#parts;
    for (;;) {
      const { filter, progress } = destination;
      const found = await feedBatches.collect(filter, progress.position, BATCH_LIMITS[kind]);
      if (!isCurrent()) return 'waits';
      if (found === 'gone' || found.messages.length > 0) return found;
      destination.moveTo(found.until);
      if (found.isEnd) return 'nothing';
    }
  }

  /** A batch that is not full may wait for further changes. */
  #mustWait(destination: FollowedDestination, kind: PushedKind, { isEnd, firstKnownAt }: Collected): boolean {
    const sendAt = isEnd && firstKnownAt !== null ? sentFrom(BATCH_LIMITS[kind], firstKnownAt) : null;
    if (sendAt === null || sendAt <= this.#parts.clock()) return false;
    destination.notBefore = sendAt;
    return true;
  }

  /** Takes the permits for what it catches up with (D71). Without one the destination waits; it does not fail. */
  async #isPaid(
    destination: FollowedDestination,
    { subscription, keys }: Account,
    { messages, firstKnownAt }: Collected,
  ): Promise<boolean> {
    const { clock, takeReplayPermit } = this.#parts;
    if (!isCatchingUp(firstKnownAt, clock())) return true;
    while (destination.paidItems < messages.length) {
      const permit = await takeReplayPermit(subscription, keys[0]?.id ?? null);
      if (permit === 'granted') destination.paidItems += ITEMS_PER_PERMIT;
      else {
        destination.notBefore = plus(clock(), isRefusal(permit) ? NO_PERMIT : permit.waitSeconds * SECOND);
        return false;
      }
    }
    return true;
  }

  /** Stores the bounds. `waits` if the destination was changed meanwhile. */
  async #begin(destination: FollowedDestination, ready: Ready, generation: number): Promise<Ready | 'waits'> {
    const progress = begun(destination.progress, ready.batch, generation);
    const { state } = destination;
    const isRecorded = await this.#parts.recorder.record(stepOf(destination, { state, progress }));
    if (!isRecorded) return 'waits';
    destination.set(destination.state, progress);
    return ready;
  }

  async #send(
    destination: FollowedDestination,
    { batch, messages }: Ready,
    { delivery }: Context,
  ): Promise<Attempt> {
    const { send, clock, pause } = this.#parts;
    const { id, content, until } = batch;
    const sent = send(destination.stored.destination, {
      id,
      content,
      at: clock(),
      messages,
      position: positionToken(until),
    });
    let isUnderWay = true;
    void pause(QUICK_MS).then(() => isUnderWay && delivery.becomeSlow());
    const attempt = await sent;
    isUnderWay = false;
    delivery.sent();
    return attempt;
  }

  /** Records the outcome. If the owner has changed the destination meanwhile, it is decided again on that change. */
  async #settle(
    destination: FollowedDestination,
    owner: Account,
    { batch, messages }: Ready,
    attempt: Attempt,
    { isCurrent }: Context,
  ): Promise<void> {
    const { clock, random, recorder, pause, note } = this.#parts;
    note(destination.stored.destination.target.kind, attempt);
    destination.isSlow = isSlow(attempt);
    const at = clock();
    const event = eventOf(attempt, random());
    if (event === null) {
      destination.notBefore = plus(at, OWN_FAULT);
      return;
    }
    while (isCurrent()) {
      const state = stateAfter(destination.state, event, at);
      const progress = event.event === 'delivered' ? delivered(destination.progress) : destination.progress;
      const { status, error, durationMs } = attempt;
      const { id, content: kind, from, until } = batch;
      const about = { destination: destination.id, id, at, kind, bounds: { from, until } };
      const entry = { ...about, messages: messages.length, status, error, durationMs };
      const notices = destinationNotices(destination.stored.destination, state, owner, at);
      const step = stepOf(destination, { state, progress, entry, notices });
      const isRecorded = await recorder.record(step).catch((fault) => {
        unlessUnavailable(fault);
        return false;
      });
      if (isRecorded) {
        destination.set(state, progress);
        if (event.event === 'delivered') destination.notBefore = nextFrom(destination, at);
        return;
      }
      await pause(RECORD_AGAIN_MS);
    }
  }
}

const stepOf = (
  { id, account, stored: { version } }: FollowedDestination,
  step: Pick<DeliveryStep, 'state' | 'progress'> & Partial<Pick<DeliveryStep, 'entry' | 'notices'>>,
): DeliveryStep => ({ id, account, version, entry: null, notices: [], ...step });

/** When the next delivery may begin: mails are apart, however many changes wait (D67). Null for at once. */
function nextFrom({ stored }: FollowedDestination, at: Moment): Moment | null {
  const { kind } = stored.destination.target;
  return kind === 'feed' ? null : sentFrom(BATCH_LIMITS[kind], at);
}

/** People who get mails hold no state: theirs go on from a position that is still valid. */
const hasResets = ({ stored }: FollowedDestination): boolean => stored.destination.target.kind !== 'email';
