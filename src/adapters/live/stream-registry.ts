import { randomUUID } from 'node:crypto';
import type { OpenedStream, OpenStreamUseCase } from '../../application/feed/open-stream.js';
import type { CheckStream } from '../../application/limits/check-stream.js';
import type { TakeReplayPermit } from '../../application/limits/take-replay-permit.js';
import type { AccountChange } from '../../application/ports/change-logs.js';
import type { Clock } from '../../application/ports/clock.js';
import type { FeedHistory } from '../../application/ports/feed/feed-history.js';
import type { StreamId, StreamSlots } from '../../application/ports/limits/stream-slots.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { Position } from '../../domain/feed/position.js';
import { filterNames, type StreamFilter } from '../../domain/feed/stream-filter.js';
import type { Progress } from '../../domain/feed/stream-position.js';
import { isInItems, logPositionOf } from '../../domain/feed/stream-start.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { ChangeEntry } from './changes/change-entry.js';
import type { LiveFeed } from './changes/live-feed.js';
import type { CloseReason, EndCause } from './connections/stream-sink.js';
import { drainStreams } from './drain-streams.js';
import { FilterIndex } from './filter-index.js';
import { Heartbeats } from './heartbeats.js';
import { closingMessage } from './messages/closing.js';
import { contentOf } from './messages/content.js';
import { Message } from './messages/message.js';
import { OpenBatches } from './open-batches.js';
import type { PreparedStream, RunningStream, StreamRequest } from './open-stream.js';
import { Pump } from './pump.js';
import { SlotRenewal } from './slot-renewal.js';
import { Stream, type StreamOwner } from './stream.js';
import { StreamAuthority } from './stream-authority.js';
import type { StreamNotes } from './stream-notes.js';

type Parts = {
  readonly openStream: OpenStreamUseCase;
  readonly checkStream: CheckStream;
  readonly takeReplayPermit: TakeReplayPermit;
  readonly streamSlots: StreamSlots;
  readonly liveFeed: LiveFeed;
  readonly feedHistory: FeedHistory;
  readonly accountChanges: { onChange(listener: (change: AccountChange) => void): () => void };
  readonly clock: Clock;
  readonly monotonicClock: MonotonicClock;
  readonly notes: StreamNotes;
  readonly report: (fault: unknown) => void;
  readonly settings: {
    readonly streamsMax: number;
    readonly heartbeatMs: number;
    readonly renewalMs: number;
    /** Streams that are behind pause for this time after each 2 ms, so that requests do not wait for all of them. */
    readonly pauseMs: number;
  };
};

/** How often waiting checks are made. */
const AUTHORITY_TICK_MS = 250;

/** All open streams of this process, and the batches that wait. */
export class StreamRegistry {
  readonly #parts: Parts;
  readonly #pump: Pump;
  readonly #index = new FilterIndex<Stream>();
  readonly #authority: StreamAuthority;
  readonly #heartbeats: Heartbeats;
  readonly #owner: StreamOwner;
  readonly #renewal: SlotRenewal;
  readonly #byId = new Map<StreamId, Stream>();
  readonly #batches = new OpenBatches();
  readonly #stops: (() => void)[] = [];
  /** The last change that was given to the streams. */
  #newest: Position | null = null;
  /** The rebuilds of the live feed: a position that was valid before one may be lost. */
  #rebuilds = 0;
  #opening = 0;
  #isDraining = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { notes, settings, clock, report } = parts;
    notes.limitedTo(settings.streamsMax);
    const end = (stream: Stream, why: Refusal | 'position_expired' | 'unavailable') =>
      this.#end(stream, why === 'position_expired' ? this.#positionExpired() : why);
    const { checkStream, streamSlots } = parts;
    this.#authority = new StreamAuthority({ checkStream, streamSlots, clock, end, report });
    this.#pump = new Pump({
      ...parts,
      pauseMs: settings.pauseMs,
      end,
      report,
      notes: {
        replayPermit: () => notes.replayPermit(),
        delivered: ({ sink }, changes, lagMs) =>
          notes.delivered(sink.form, changes, lagMs === null ? null : lagMs / 1_000),
      },
    });
    this.#renewal = new SlotRenewal(parts, this.#byId, (id) => this.#lost(id, 'replaced'));
    this.#owner = {
      positionOf: (stream) => this.#pump.positionOf(stream),
      closed: (stream, why) => this.#forget(stream, why),
      subscribe: (stream, filter) => this.#subscribe(stream, filter),
      end: (stream, cause) => this.#end(stream, cause),
      alive: (stream) => this.#renewal.soon(stream),
    };
    this.#heartbeats = new Heartbeats(settings.heartbeatMs, parts.monotonicClock, (due) => {
      this.#pump.heartbeatsAt(clock());
      for (const stream of due) this.#pump.heartbeat(stream);
    });
  }

  /** The streams that are open, with the batches that wait; the most at once; the last change they may have been sent. */
  get figures(): { readonly open: number; readonly most: number; readonly position: Position | null } {
    const { liveFeed, settings } = this.#parts;
    const { position } = liveFeed;
    return { open: this.#byId.size, most: settings.streamsMax, position };
  }

  async start(): Promise<void> {
    const { liveFeed, accountChanges, streamSlots, settings } = this.#parts;
    this.#newest = liveFeed.position;
    const authority = setInterval(() => this.#authority.tick(), AUTHORITY_TICK_MS).unref();
    this.#heartbeats.start();
    this.#stops.push(
      liveFeed.onEntries((entries) => this.#publish(entries)),
      liveFeed.onRebuild(() => this.#doubt()),
      accountChanges.onChange((change) => this.#authority.changed(change)),
      streamSlots.onLost((id, why) => this.#lost(id, why)),
      () => clearInterval(authority),
      this.#renewal.start(settings.renewalMs),
      () => this.#heartbeats.stop(),
    );
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
  }

  /** Opens a stream (D47). The client gets nothing before `start` is called on the result. */
  readonly open = async (
    request: StreamRequest,
  ): Promise<PreparedStream | Refusal | 'overloaded' | 'restart'> => {
    const { openStream, settings, streamSlots, monotonicClock, notes } = this.#parts;
    const isFull = this.#byId.size + this.#opening >= settings.streamsMax;
    if (this.#isDraining) return 'restart';
    if (isFull) return notes.refused('overloaded', request.admitted.plan);
    const id = randomUUID() as StreamId;
    const { admitted, start, isResumed, form } = request;
    this.#opening += 1;
    const rebuilds = this.#rebuilds;
    try {
      const { subscription, key, plan } = admitted;
      const needsSlot = form !== 'batch';
      const opened = await openStream({ stream: id, subscription, key, plan, start, isResumed, needsSlot });
      if (isRefusal(opened)) return notes.refused(opened, plan);
      const batches = this.#batches;
      return {
        get mayWait() {
          return needsSlot || batches.of(subscription) < opened.slots.allowed;
        },
        start: (sink) => {
          const stream = new Stream(id, request, opened, sink, this.#owner, monotonicClock);
          stream.isPositionInDoubt = this.#rebuilds !== rebuilds;
          try {
            return this.#start(stream, request, opened);
          } catch (fault) {
            this.#forget(stream, 'unavailable');
            throw fault;
          }
        },
        abandon: () => {
          if (needsSlot) void streamSlots.close({ subscription, stream: id });
        },
      };
    } finally {
      this.#opening -= 1;
    }
  };

  /** Ends all streams, spread over this time, so that their clients do not reconnect as one wave (D54). */
  async drain(durationMs: number): Promise<void> {
    this.#isDraining = true;
    const { monotonicClock } = this.#parts;
    await drainStreams(this.#byId, durationMs, monotonicClock, (stream) => this.#end(stream, 'restart'));
  }

  #start(stream: Stream, request: StreamRequest, { progress, slots }: OpenedStream): RunningStream {
    const { form, start, ignored } = request;
    const { notes, liveFeed } = this.#parts;
    const { id, subscription, plan, sink } = stream;
    this.#byId.set(id, stream);
    this.#index.add(stream);
    if (form === 'batch') this.#batches.add(subscription);
    else this.#heartbeats.add(stream);
    notes.opened(sink.form, plan);
    const { state } = liveFeed;
    if (start.from === 'progress' && state !== null)
      notes.resumed(Math.max(0, state.position.n - logPositionOf(progress).n));
    if (form !== 'batch') sink.send([this.#ready(stream, slots, ignored)]);
    this.#authority.add(stream);
    this.#pump.wake(stream);
    // It was opened when the drain began, which may be over.
    if (this.#isDraining) this.#end(stream, 'restart');
    return stream;
  }

  #ready(stream: Stream, slots: OpenedStream['slots'], ignored: readonly string[]): Message {
    const { liveFeed, settings } = this.#parts;
    const filters = filterNames(stream.filter);
    const members = {
      head: liveFeed.state?.head ?? null,
      heartbeat_seconds: settings.heartbeatMs / 1_000,
      streams: slots,
      ...(ignored.length > 0 && { ignored }),
      ...(filters.length > 0 && { filters }),
    };
    return new Message('ready', this.#pump.tokenOf(stream), contentOf(members));
  }

  /** Replaces the filter from the current position on; not during a replay (D55). */
  #subscribe(stream: Stream, filter: StreamFilter): 'done' | 'refused' {
    if (stream.progress !== 'head' && isInItems(stream.progress)) return 'refused';
    if (stream.endReason !== null) return 'done';
    // A stream at the head moves with every change that its filter does not pass: from here on that is the new filter.
    this.#holdPosition(stream, this.#newest);
    this.#index.remove(stream);
    stream.filter = filter;
    this.#index.add(stream);
    stream.isSubscribedDue = true;
    this.#pump.wake(stream);
    return 'done';
  }

  #publish(entries: readonly ChangeEntry[]): void {
    const before = this.#newest;
    const last = entries.at(-1);
    if (last === undefined) return;
    this.#newest = last.position;
    const progress: Progress | null = before === null ? null : { of: 'log', position: before };
    const wake = (stream: Stream) => {
      if (stream.progress === 'head' && progress !== null) stream.progress = progress;
      this.#pump.wake(stream);
    };
    this.#index.each(entries, wake);
    this.#heartbeats.early();
  }

  /** A stream that was sent everything no longer moves with the changes: its position is that of the newest one so far. */
  #holdPosition(stream: Stream, newest: Position | null): void {
    if (stream.progress === 'head' && newest !== null) stream.progress = { of: 'log', position: newest };
  }

  /** Changes were missed, or the store has lost some: each stream compares its position with the log (D45). */
  #doubt(): void {
    this.#rebuilds += 1;
    const before = this.#newest;
    // Not that of its state, which is null until the head is known: the first change after it must reach the streams.
    this.#newest = this.#parts.liveFeed.position;
    for (const stream of this.#byId.values()) {
      this.#holdPosition(stream, before);
      stream.replayPage = null;
      stream.isPositionInDoubt = true;
      this.#pump.wake(stream);
    }
  }

  #lost(id: StreamId, why: 'replaced' | 'reduced'): void {
    const stream = this.#byId.get(id);
    if (stream !== undefined)
      this.#end(stream, refuse(why === 'replaced' ? 'stream_replaced' : 'too_many_streams'));
  }

  #positionExpired(): Refusal<'position_expired'> {
    return { refused: 'position_expired', feedHead: this.#parts.liveFeed.state?.head ?? null };
  }

  #end(stream: Stream, cause: EndCause): void {
    if (stream.endReason !== null) return;
    const { status, document } = stream.problemOf(cause);
    const closing = closingMessage(cause, this.#pump.tokenOf(stream), document);
    this.#forget(stream, typeof cause === 'string' ? cause : cause.refused);
    stream.sink.end(closing, status, cause);
  }

  #forget(stream: Stream, why: CloseReason): void {
    if (stream.endReason !== null) return;
    // The position is read for the log after the end, when the stream no longer follows the head.
    this.#holdPosition(stream, this.#newest);
    stream.endReason = why;
    this.#byId.delete(stream.id);
    this.#index.remove(stream);
    this.#authority.remove(stream);
    const { sink, plan, subscription, id } = stream;
    if (sink.form === 'batch') this.#batches.remove(subscription);
    else {
      this.#heartbeats.remove(stream);
      void this.#parts.streamSlots.close({ subscription, stream: id });
    }
    this.#parts.notes.closed(sink.form, plan, why, sink.bytes);
  }
}
