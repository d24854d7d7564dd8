import type { OpenedStream } from '../../application/feed/open-stream.js';
import type { KnownItem } from '../../application/ports/feed/feed-history.js';
import type { HeldSlot, StreamId } from '../../application/ports/limits/stream-slots.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { PlanName } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { Position } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import type { Progress } from '../../domain/feed/stream-position.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { OwnLimits } from '../../domain/keys/key-controls.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { isFirstSignOfLife, type Payment, permitsFor } from '../../domain/limits/streams.js';
import type { Moment } from '../../domain/moment.js';
import type { Refusal } from '../../domain/refusal.js';
import type { CloseReason, StreamSink } from './connections/stream-sink.js';
import type { RunningStream, StreamFigures, StreamRequest } from './open-stream.js';

/** Items of a replay that were read and are not sent yet. */
export type ReplayPage = {
  readonly items: readonly KnownItem[];
  /** The newest change of the log that they were read with. */
  readonly seen: Position;
  next: number;
  readonly isLast: boolean;
};

/** What the registry does for its streams. */
export type StreamOwner = {
  readonly positionOf: (stream: Stream) => Progress;
  readonly closed: (stream: Stream, why: CloseReason) => void;
  readonly subscribe: (stream: Stream, filter: StreamFilter) => 'done' | 'refused';
  readonly end: (stream: Stream, cause: Refusal) => void;
  /** The client answered a ping for the first time, or again after a long time. */
  readonly alive: (stream: Stream) => void;
};

/**
 * An open stream: a position in the change log, a filter and a connection. It is also the slot that it holds.
 *
 * States, by `progress`:
 * - `items`: it is sent stored items in the order of their times (`since`, or a position of such a replay);
 * - `log`: it is sent the changes after its position;
 * - `head`: it was sent everything, so that it is at the last change of the process.
 *
 * Transitions:
 * - `items` → `log`: it has all items up to the newest change that it has seen (`Replays`);
 * - `log` → `head`: it has the newest change (`LoggedChanges`). The first time, `live` is sent;
 * - `head` → `log`: there is a change, a new filter, or doubt whether the log still has its position (`StreamRegistry`);
 * - any → ended: `endReason` is set, once, and nothing but `closing` is sent.
 *
 * Beside that, `isWaiting` says whether its turn will come by itself: it is in a queue of the scheduler, or waits for a read, a
 * permit or its connection. Whoever sets it to false wakes the stream if there is something to send.
 */
export class Stream implements HeldSlot, RunningStream {
  readonly id: StreamId;
  readonly hash: KeyHash;
  readonly subscription: SubscriptionId;
  readonly key: KeyId;
  /** The client address, which the allowlist of the key must have. */
  readonly source: string;
  readonly plan: PlanName;
  readonly sink: StreamSink;
  readonly problemOf: StreamRequest['problemOf'];
  filter: StreamFilter;
  /** How far the stream has got. `head`: it was sent everything, so it is at the last change of the process. */
  progress: Progress | 'head';
  replayPage: ReplayPage | null = null;
  /** Why it ended; null while it is open. */
  endReason: CloseReason | null = null;
  /** Whether it waits for its turn, for a read, for a permit, or for its connection. */
  isWaiting = false;
  /** Whether it waits for a read or for a permit. */
  isReading = false;
  /** Whether its position must be compared with the log before anything is sent: the store may have lost changes. */
  isPositionInDoubt = false;
  /** Whether the client changed the filter and is to be told from where on. */
  isSubscribedDue = false;
  /** Whether `live` is to be sent when it has caught up. */
  isCatchingUp: boolean;
  isHeartbeatDue = false;
  /** The group of `Heartbeats` that the stream is in. */
  heartbeatGroup = 0;
  /** The items and retractions that were sent. */
  changes = 0;
  /** What costs permits until it has caught up. */
  payment: Payment;
  /** The items and changes that it has looked at, sent or not, until it had caught up. */
  #looked = 0;
  /** Those that were sent. */
  #sent = 0;
  /** The permits that were taken for them. */
  #permits: number;
  /** The streams that its plan allows at once. */
  allowed: number;
  /** The limits that the owner of the key has set. */
  own: OwnLimits | null;
  /** The end of the grace window of its key, or its expiry. */
  endsAt: Moment | null = null;
  readonly #owner: StreamOwner;
  /** Times are milliseconds of this clock. */
  readonly #clock: MonotonicClock;
  readonly #openedAt: number;
  #pongAt: number | null = null;

  constructor(
    id: StreamId,
    request: StreamRequest,
    opened: OpenedStream,
    sink: StreamSink,
    owner: StreamOwner,
    clock: MonotonicClock,
  ) {
    const { hash, admitted, source, filter, start, form, problemOf } = request;
    this.id = id;
    this.hash = hash;
    this.subscription = admitted.subscription;
    this.key = admitted.key;
    this.source = source;
    this.own = admitted.own;
    this.plan = admitted.plan;
    this.filter = filter;
    this.progress = opened.progress;
    this.sink = sink;
    this.#owner = owner;
    // A batch has the permit of its request, which must be enough (D58). The first items of a resume have it too (D46).
    this.payment = form === 'batch' ? 'looks' : opened.payment;
    this.#permits = form === 'batch' || opened.payment === 'sent' ? 1 : 0;
    this.allowed = opened.slots.allowed;
    this.isCatchingUp = start.from !== 'now';
    this.#clock = clock;
    this.#openedAt = clock();
    this.problemOf = problemOf;
  }

  get stream(): StreamId {
    return this.id;
  }

  get secondsOpen(): number {
    return (this.#clock() - this.#openedAt) / 1_000;
  }

  get secondsSincePong(): number | null {
    return this.#pongAt === null ? null : (this.#clock() - this.#pongAt) / 1_000;
  }

  get figures(): StreamFigures {
    return { position: this.#owner.positionOf(this), items: this.changes, reason: this.endReason };
  }

  closed(why: CloseReason): void {
    this.#owner.closed(this, why);
  }

  subscribe(filter: StreamFilter): 'done' | 'refused' {
    return this.#owner.subscribe(this, filter);
  }

  refuse(refusal: Refusal): void {
    this.#owner.end(this, refusal);
  }

  ponged(): void {
    const isFirst = isFirstSignOfLife(this.secondsSincePong);
    this.#pongAt = this.#clock();
    if (isFirst) this.#owner.alive(this);
  }

  get hasLooked(): boolean {
    return this.#looked > 0;
  }

  /** Whether the next item or change costs a permit that was not taken yet (D46, D51). `isSent`: it passes the filter. */
  needsPermitFor(isSent: boolean): boolean {
    return permitsFor(this.payment, this.#looked + 1, this.#sent + Number(isSent)) > this.#permits;
  }

  notePermit(): void {
    this.#permits += 1;
  }

  /** It has looked at an item or a change, whether or not it was sent. */
  noteLook(isSent: boolean): void {
    if (this.payment === 'nothing') return;
    this.#looked += 1;
    this.#sent += Number(isSent);
  }
}
