import { type Position, samePosition } from '../../domain/feed/position.js';
import { passesAll } from '../../domain/feed/stream-filter.js';
import { streamToken } from '../../domain/feed/stream-position.js';
import { afterChanges, logPositionOf } from '../../domain/feed/stream-start.js';
import { SharedChanges } from '../fast-paths/shared-changes.js';
import type { SharedMessages } from '../fast-paths/shared-messages.js';
import type { ChangeEntry } from './changes/change-entry.js';
import { Message } from './messages/message.js';
import type { PumpParts, Wait } from './pump-parts.js';
import { stepEnd } from './step-end.js';
import type { Stream } from './stream.js';

/** The most changes that are looked at for one write, if the filter passes few of them. */
const CHANGES_PER_STEP = 1_000;

type Parts = Pick<PumpParts, 'liveFeed' | 'notes' | 'end' | 'monotonicClock'>;

/** What one write of a stream has so far. */
type Step = {
  readonly messages: Message[];
  /** The newest change because of which an item or a change was left out. */
  seen: Position | null;
  bytes: number;
  changes: number;
  /** When this process got the last change in it. */
  at: number | null;
};

/** Sends the changes after the position of a stream, in the order of the log (D50). */
export class LoggedChanges {
  readonly #parts: Parts;
  /** Resolves when a stream may look at more that costs permits, or has ended. `used`: a batch, which gets no more. */
  readonly #takePermit: (stream: Stream) => Promise<void> | 'used';
  readonly #progressed = new WeakMap<Message, { readonly seen: Position; readonly message: Message }>();
  readonly #shared = new SharedChanges();

  constructor(parts: Parts, takePermit: (stream: Stream) => Promise<void> | 'used') {
    this.#parts = parts;
    this.#takePermit = takePermit;
  }

  /** All messages of a stream that is sent the same as one before it. Null if nothing is known to be the same. */
  collectShared(stream: Stream): SharedMessages | null {
    const shared = this.#shared.of(stream, this.#parts.liveFeed.position);
    if (shared === null) return null;
    stream.progress = 'head';
    this.#note(stream, shared);
    return shared.messages;
  }

  /** Adds the next messages. Null: the stream was sent every change. */
  collect(stream: Stream, messages: Message[], bytesMax: number): Wait {
    const { progress } = stream;
    if (progress === 'head') return null;
    const seen = progress.of === 'replay' ? progress.seen : null;
    const step: Step = { messages, seen, bytes: 0, changes: 0, at: null };
    const { position, wait } = this.#walk(stream, logPositionOf(progress), step, bytesMax);
    stream.progress = wait === null ? 'head' : afterChanges(position, step.seen);
    this.#note(stream, step);
    if (wait === null && progress.of === 'log') {
      const { changes, at } = step;
      const { position: newest } = this.#parts.liveFeed;
      this.#shared.note(stream, { from: progress.position, newest, changes, at }, messages);
    }
    return wait;
  }

  #note(stream: Stream, { changes, at }: Pick<Step, 'changes' | 'at'>): void {
    if (changes === 0) return;
    stream.changes += changes;
    this.#parts.notes.delivered(stream, changes, at === null ? null : this.#parts.monotonicClock() - at);
  }

  #walk(
    stream: Stream,
    from: Position,
    step: Step,
    bytesMax: number,
  ): { readonly position: Position; readonly wait: Wait } {
    const { liveFeed } = this.#parts;
    let position = from;
    let { n } = from;
    const isOver = passesAll(stream.filter) ? () => false : stepEnd(this.#parts.monotonicClock);
    const isFull = () => step.bytes >= bytesMax || step.changes >= stream.sink.room || isOver();
    for (let looked = 0; looked < CHANGES_PER_STEP && !isFull(); looked += 1) {
      const entry = liveFeed.entry(n + 1);
      if (entry === undefined || entry instanceof Promise) return { position, wait: entry ?? null };
      if (entry === 'gone') return { position, wait: this.#expire(stream, step) };
      const message = entry.messageFor(stream.filter);
      if (stream.needsPermitFor(message !== null)) return { position, wait: this.#takePermit(stream) };
      this.#add(entry, message, step);
      stream.noteLook(message !== null);
      n += 1;
      ({ position } = entry);
    }
    return { position, wait: 'turn' };
  }

  /** The messages so far are written first, because nothing may follow `closing`. */
  #expire(stream: Stream, { messages }: Step): 'turn' | 'ended' {
    if (messages.length > 0) return 'turn';
    this.#parts.end(stream, 'position_expired');
    return 'ended';
  }

  /** Adds the message of a change, if the filter passes one. */
  #add(entry: ChangeEntry, message: Message | null, step: Step): void {
    // A later change is sent instead. Without it, the store may have the item of this one again (D45).
    if (entry.isSuperseded) step.seen = this.#parts.liveFeed.position;
    if (message === null) return;
    step.messages.push(step.seen === null ? message : this.#withProgress(message, entry.position, step.seen));
    step.bytes += message.content.text.length;
    step.changes += 1;
    step.at = entry.at;
  }

  /**
   * The message of a change for a stream that must still reach `seen`: its position has both, so that a reconnect continues
   * there. Streams that are behind mostly have the same `seen`, so they share the last message that was made.
   */
  #withProgress(message: Message, position: Position, seen: Position): Message {
    const progress = afterChanges(position, seen);
    if (progress.of === 'log') return message;
    const known = this.#progressed.get(message);
    if (known !== undefined && samePosition(known.seen, seen)) return known.message;
    const made = new Message(message.type, streamToken(progress), message.content);
    this.#progressed.set(message, { seen, message: made });
    return made;
  }
}
