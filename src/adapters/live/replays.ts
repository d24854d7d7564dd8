import type { KnownItem } from '../../application/ports/feed/feed-history.js';
import { concerns, passesAll, type StreamFilter, shownBy } from '../../domain/feed/stream-filter.js';
import { type ReplayProgress, streamToken } from '../../domain/feed/stream-position.js';
import { afterChanges, isInItems, isReplayed } from '../../domain/feed/stream-start.js';
import { isRefusal } from '../../domain/refusal.js';
import { itemContent } from './messages/content.js';
import { Message } from './messages/message.js';
import type { PumpParts, Wait } from './pump-parts.js';
import { stepEnd } from './step-end.js';
import type { ReplayPage, Stream } from './stream.js';

/** The most items per read; fewer with a filter, because taking them over and reading their words blocks the event loop. */
const ITEMS_PER_READ = { whole: 100, filtered: 20 } as const;
/**
 * The most bytes of items per read; the last item may exceed it. Items wait in memory until the connection of the stream has
 * accepted them, for each stream that replays.
 */
const BATCH_BYTES = 1_048_576;
/** The most reads at a time. */
const READS_MAX = 2;
/** A replay that has no permit asks for one again after this time: a test may move the clock. */
const PERMIT_AGAIN_MS = 1_000;

type Parts = Pick<
  PumpParts,
  'liveFeed' | 'feedHistory' | 'takeReplayPermit' | 'monotonicClock' | 'end' | 'notes'
>;

/** Sends the items of replays, oldest first (D48). */
export class Replays {
  readonly #parts: Parts;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Adds the next items. Returns what the stream waits for, or `turn` if there is more to send. */
  collect(stream: Stream, messages: Message[], bytesMax: number): Wait {
    const { progress, replayPage: page } = stream;
    if (progress === 'head' || !isInItems(progress)) return 'turn';
    if (page === null) return this.#read(stream);
    let bytes = 0;
    const isOver = stepEnd(this.#parts.monotonicClock);
    const isFull = () => bytes >= bytesMax || messages.length >= stream.sink.room || isOver();
    for (const item of page.items.slice(page.next)) {
      if (isFull()) break;
      if (stream.needsPermitFor(true)) return this.#afterPermit(stream, messages);
      const reached = { ...progress, seen: page.seen, reached: item.scoredAt };
      const message = replayMessage(stream.filter, item, reached);
      stream.noteLook(message !== null);
      page.next += 1;
      stream.progress = reached;
      if (message === null) continue;
      messages.push(message);
      bytes += message.content.text.length;
    }
    this.#note(stream, messages);
    if (page.next === page.items.length) this.#endPage(stream, page);
    return 'turn';
  }

  #afterPermit(stream: Stream, messages: readonly Message[]): Wait {
    this.#note(stream, messages);
    return this.takePermit(stream);
  }

  #note(stream: Stream, { length }: readonly Message[]): void {
    stream.changes += length;
    if (length > 0) this.#parts.notes.delivered(stream, length, null);
  }

  #endPage(stream: Stream, { isLast, seen }: ReplayPage): void {
    stream.replayPage = null;
    if (!isLast || stream.progress === 'head' || stream.progress.of !== 'replay') return;
    stream.progress = afterChanges(stream.progress.began, seen);
  }

  /**
   * Resolves when the stream may go on, or has ended because the quota of the day is used up. A batch takes no further permit:
   * it is complete.
   */
  takePermit(stream: Stream): Promise<void> | 'used' {
    return stream.sink.form === 'batch' ? 'used' : this.#untilPermit(stream);
  }

  async #untilPermit(stream: Stream): Promise<void> {
    const { takeReplayPermit, end, notes } = this.#parts;
    for (;;) {
      const { subscription: id, plan, key, own } = stream;
      const permit = await takeReplayPermit({ id, plan }, key, own);
      if (stream.endReason !== null) return;
      if (permit === 'granted') break;
      if (isRefusal(permit)) return end(stream, permit);
      await new Promise((done) => setTimeout(done, PERMIT_AGAIN_MS).unref());
    }
    notes.replayPermit();
    stream.notePermit();
  }

  async #read(stream: Stream): Promise<void> {
    const { progress } = stream;
    if (progress === 'head' || progress.of !== 'replay') return;
    if (this.#reading >= READS_MAX) await new Promise<void>((done) => this.#waiting.push(done));
    else this.#reading += 1;
    try {
      if (stream.endReason !== null) return;
      const { liveFeed, feedHistory } = this.#parts;
      const count = passesAll(stream.filter) ? ITEMS_PER_READ.whole : ITEMS_PER_READ.filtered;
      const read = await liveFeed.readApplied(() =>
        feedHistory.itemsAfter(progress.reached, count, BATCH_BYTES),
      );
      // The store has returned to an older state: the position is checked first.
      if (read === null) return;
      const { items, newest: seen } = read;
      stream.replayPage = { items, seen, next: 0, isLast: isLast(items, count) };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#reading -= 1;
      else next();
    }
  }
}

/** Whether a read returned all items that there are: it ends early for one of two reasons. */
const isLast = (items: readonly KnownItem[], count: number): boolean =>
  items.length < count && items.reduce((sum, { json }) => sum + json.length, 0) < BATCH_BYTES;

/** Null for an item that does not pass the filter, or whose change is sent after the replay. */
function replayMessage(filter: StreamFilter, item: KnownItem, progress: ReplayProgress): Message | null {
  const isDue = concerns(filter, item.id) && isReplayed(item, progress.began);
  const shown = isDue ? shownBy(filter, item) : null;
  if (shown === null) return null;
  return new Message('item', streamToken(progress), itemContent(item, shown, item.knownAt));
}
