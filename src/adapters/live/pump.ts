import { Unavailable } from '../../application/unavailable.js';
import { termValuesOf } from '../../domain/feed/filters/filter-values.js';
import type { Position, PositionToken } from '../../domain/feed/position.js';
import { type Progress, sameProgress, streamToken } from '../../domain/feed/stream-position.js';
import { isInItems, neededChanges } from '../../domain/feed/stream-start.js';
import type { Moment } from '../../domain/moment.js';
import { LoggedChanges } from './logged-changes.js';
import { contentOf } from './messages/content.js';
import { Message } from './messages/message.js';
import type { PumpParts, Wait } from './pump-parts.js';
import { Replays } from './replays.js';
import type { Stream } from './stream.js';
import { type ScheduledWork, StreamScheduler } from './stream-scheduler.js';

/** About the most that one stream writes at a time. */
const WRITE_BYTES = 64 * 1_024;
/** A read that failed is tried again after this time. */
const RETRY_MS = 500;

/**
 * Writes to each stream what it has not been sent yet, while its connection accepts it. Streams that have work take turns;
 * between the turns other work of the process runs.
 */
export class Pump {
  readonly #parts: PumpParts;
  readonly #replays: Replays;
  readonly #changes: LoggedChanges;
  readonly #scheduler: StreamScheduler;
  /** For streams that have more to send than one step may send. */
  readonly #behind: StreamScheduler;
  #heartbeat: { readonly position: Progress; readonly message: Message } | null = null;
  #heartbeatAt: Moment | null = null;

  constructor(parts: PumpParts) {
    this.#parts = parts;
    this.#replays = new Replays(parts);
    const takePermit = (stream: Stream) => this.#replays.takePermit(stream);
    const work: ScheduledWork = {
      isReady: (stream) => this.#isReady(stream),
      step: (stream) => this.#step(stream),
      failed: (stream, fault) => {
        parts.report(fault);
        stream.sink.destroy();
      },
      monotonicClock: parts.monotonicClock,
    };
    this.#scheduler = new StreamScheduler(work);
    this.#behind = new StreamScheduler(work, parts.pauseMs);
    this.#changes = new LoggedChanges(parts, takePermit);
  }

  /** The stream has something to send, or may have. */
  wake(stream: Stream): void {
    if (stream.endReason === null) this.#scheduler.wake(stream);
  }

  /** The time in the heartbeats that are due now. */
  heartbeatsAt(at: Moment): void {
    this.#heartbeatAt = at;
    this.#heartbeat = null;
  }

  /** A stream that waits for the store or for a permit sends its heartbeat at once: silence means a dead connection (D49). */
  heartbeat(stream: Stream): void {
    stream.isHeartbeatDue = true;
    this.wake(stream);
    if (!stream.isReading || !stream.sink.isWritable) return;
    const messages: Message[] = [];
    this.#collectDue(stream, messages);
    stream.sink.send(messages);
  }

  /** The position of a stream: everything up to it was sent, or did not pass the filter. */
  positionOf({ progress }: Pick<Stream, 'progress'>): Progress {
    return progress === 'head' ? { of: 'log', position: this.#newest() } : progress;
  }

  /** The token of this position, for a message. */
  tokenOf(stream: Pick<Stream, 'progress'>): PositionToken {
    return streamToken(this.positionOf(stream));
  }

  #newest(): Position {
    const { position } = this.#parts.liveFeed;
    if (position === null) throw new Unavailable('the feed');
    return position;
  }

  /** Whether a stream can be written to. One whose connection accepts nothing waits for it. */
  #isReady(stream: Stream): boolean {
    if (stream.endReason !== null) return false;
    if (stream.sink.isWritable) return true;
    this.#waitUntilWritable(stream);
    return false;
  }

  #step(stream: Stream): void {
    if (stream.isPositionInDoubt) this.#waitFor(stream, this.#checkPosition(stream));
    else this.#send(stream);
  }

  #send(stream: Stream): void {
    const shared = sendsOnlyChanges(stream) ? this.#changes.collectShared(stream) : null;
    if (shared === null) this.#sendOwn(stream);
    else {
      stream.sink.sendShared(shared);
      stream.sink.caughtUp();
    }
  }

  #sendOwn(stream: Stream): void {
    const messages: Message[] = [];
    const wait = this.#collect(stream, messages);
    if (messages.length > 0) stream.sink.send(messages);
    if (wait === null) stream.sink.caughtUp();
    else if (wait === 'turn') this.#behind.wake(stream);
    else if (wait === 'used') stream.sink.permitUsed();
    else if (wait !== 'ended') this.#waitFor(stream, wait);
  }

  /** Adds the next messages of a stream. */
  #collect(stream: Stream, messages: Message[]): Wait {
    if (stream.isSubscribedDue) messages.push(this.#subscribed(stream));
    const wait =
      stream.progress === 'head'
        ? null
        : isInItems(stream.progress)
          ? this.#replays.collect(stream, messages, WRITE_BYTES)
          : this.#changes.collect(stream, messages, WRITE_BYTES);
    if (wait === 'ended') return wait;
    if (wait === null && stream.isCatchingUp) {
      stream.isCatchingUp = false;
      stream.payment = 'nothing';
      messages.push(new Message('live', this.tokenOf(stream), contentOf({})));
    }
    // Last, because a heartbeat has the position after the messages before it.
    this.#collectDue(stream, messages);
    return wait;
  }

  /** First, because the messages after it are those of the new filter. */
  #subscribed(stream: Stream): Message {
    stream.isSubscribedDue = false;
    const { newsId, marketIds, terms } = stream.filter;
    const content = contentOf({
      ...(newsId !== null && { news_id: newsId }),
      ...(marketIds !== null && { market_id: [...marketIds] }),
      ...termValuesOf(terms),
    });
    return new Message('subscribed', this.tokenOf(stream), content);
  }

  #collectDue(stream: Stream, messages: Message[]): void {
    if (!stream.isHeartbeatDue) return;
    stream.isHeartbeatDue = false;
    messages.push(this.#heartbeatAtPosition(this.positionOf(stream)));
  }

  /** The same message for all streams at one position. */
  #heartbeatAtPosition(position: Progress): Message {
    const known = this.#heartbeat;
    if (known !== null && sameProgress(known.position, position)) return known.message;
    const { liveFeed, clock } = this.#parts;
    const members = { head: liveFeed.state?.head ?? null, at: this.#heartbeatAt ?? clock() };
    const message = new Message('heartbeat', streamToken(position), contentOf(members));
    this.#heartbeat = { position, message };
    return message;
  }

  async #checkPosition(stream: Stream): Promise<void> {
    const { liveFeed, end } = this.#parts;
    const { progress } = stream;
    // Before the check, because a rebuild during the check raises new doubt.
    stream.isPositionInDoubt = false;
    if (progress === 'head') return;
    try {
      for (const needed of neededChanges(progress))
        if ((await liveFeed.stateOf(needed)) !== 'valid') return end(stream, 'position_expired');
    } catch (fault) {
      stream.isPositionInDoubt = true;
      throw fault;
    }
  }

  #waitUntilWritable(stream: Stream): void {
    stream.isWaiting = true;
    stream.sink.whenWritable(() => {
      stream.isWaiting = false;
      this.wake(stream);
    });
  }

  #waitFor(stream: Stream, wait: Promise<unknown>): void {
    stream.isWaiting = true;
    stream.isReading = true;
    const goOn = () => {
      stream.isWaiting = false;
      stream.isReading = false;
      if (stream.endReason === null) this.#behind.wake(stream);
    };
    wait.then(goOn, (fault: unknown) => {
      if (!(fault instanceof Unavailable)) this.#parts.report(fault);
      // A batch is answered: its client waits for a response (D46).
      if (stream.sink.form === 'batch') this.#parts.end(stream, 'unavailable');
      else setTimeout(goOn, RETRY_MS).unref();
    });
  }
}

/** Whether nothing but changes is due. */
const sendsOnlyChanges = ({ isSubscribedDue, isCatchingUp, isHeartbeatDue }: Stream): boolean =>
  !isSubscribedDue && !isCatchingUp && !isHeartbeatDue;
