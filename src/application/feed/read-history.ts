import { type AsOf, type KnownChange, pastPoint } from '../../domain/feed/history/as-of.js';
import {
  CHANGES_PER_PAGE,
  changesOfBlock,
  FIRST_BLOCK_CHANGES,
  needsPermit,
  PAGE_BYTES,
  paidChanges,
} from '../../domain/feed/history/history-limits.js';
import { showsProgress } from '../../domain/feed/history/line-progress.js';
import { type HistoryForm, shownInHistory } from '../../domain/feed/history/shown-in-history.js';
import type { Position } from '../../domain/feed/position.js';
import { passesAll, type StreamFilter } from '../../domain/feed/stream-filter.js';
import { LAST_MOMENT, MICROSECOND, type Moment, plus } from '../../domain/moment.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { FeedPast, HistoryChange } from '../ports/feed/feed-past.js';

/** The part of the history that a reader asks for: after a position or from a time, up to a position or a time. */
export type HistoryBounds = {
  readonly from: { readonly after: Position } | { readonly since: Moment } | null;
  /** Null: up to the newest change. */
  readonly until: AsOf | null;
};

/** The changes with `after < number <= until`. */
export type HistoryRange = { readonly after: Position; readonly until: Position };

/** A change, and how it is shown. */
export type ShownHistoryChange = { readonly change: HistoryChange; readonly form: NonNullable<HistoryForm> };

export type HistoryPage = {
  readonly changes: readonly ShownHistoryChange[];
  /** The last change that was read: the next page is after it. */
  readonly position: Position;
  /** Whether the range ends here. */
  readonly isComplete: boolean;
};

/** How far an export is, in place of a change that the filter does not pass. */
export type HistoryProgress = { readonly progress: Position };

/** A block of an export. */
export type HistoryBlock = Omit<HistoryPage, 'changes'> & {
  readonly lines: readonly (ShownHistoryChange | HistoryProgress)[];
  /** Whether a permit is to be taken before it is used. The first permit is that of the request. */
  readonly needsPermit: boolean;
};

/** Takes a permit for the next changes. False if there is none left. */
export type TakePermit = () => Promise<boolean>;

/** Reads the history of the feed (D61). */
export class ReadHistory {
  readonly #past: FeedPast;

  constructor({ feedPast }: { readonly feedPast: FeedPast }) {
    this.#past = feedPast;
  }

  /** Finds the changes of times, once, at the beginning of a read. */
  async range({
    from,
    until,
  }: HistoryBounds): Promise<HistoryRange | Refusal<'before_history' | 'position_expired'>> {
    const last = until ?? { by: 'time', time: LAST_MOMENT };
    const found = await this.#past.find(last);
    const end = pastPoint(last, found);
    if (isRefusal(end)) return end;
    const begin = await this.#begin(from, found.start);
    return isRefusal(begin) ? begin : { after: begin.position, until: end.position };
  }

  async #begin(
    from: HistoryBounds['from'],
    start: KnownChange,
  ): Promise<KnownChange | Refusal<'before_history' | 'position_expired'>> {
    if (from === null) return start;
    if ('after' in from) {
      const asOf = { by: 'position', position: from.after } as const;
      return pastPoint(asOf, await this.#past.find(asOf));
    }
    if (from.since < start.knownAt) return { refused: 'before_history', start };
    // Of several changes known at the same time, all count.
    const { point } = await this.#past.find({ by: 'time', time: plus(from.since, -MICROSECOND) });
    return point === null || point.position.n < start.position.n ? start : point;
  }

  /** At most `limit` changes of a range. The first permit is that of the request. */
  async page(
    range: HistoryRange,
    filter: StreamFilter,
    limit: number,
    takePermit: TakePermit,
  ): Promise<HistoryPage> {
    const changes: ShownHistoryChange[] = [];
    let position = range.after;
    let [read, bytes] = [0, 0];
    const isFull = () => changes.length >= limit || read >= CHANGES_PER_PAGE || bytes >= PAGE_BYTES;
    while (position.n < range.until.n && !isFull()) {
      if (needsPermit(read) && !(await takePermit())) break;
      const [room, paid] = [limit - changes.length, paidChanges(read)];
      // Without a filter, every change that is read is on the page. The store reads only those of the news event.
      const count = passesAll({ ...filter, newsId: null }) ? Math.min(room, paid) : paid;
      const block = await this.#block(
        { after: position, until: range.until },
        filter,
        count,
        PAGE_BYTES - bytes,
      );
      if (block.read === 0) return { changes, position: range.until, isComplete: true };
      changes.push(...block.changes.slice(0, room));
      position = block.changes[room - 1]?.change.position ?? block.position;
      read += block.read;
      bytes += block.bytes;
    }
    return { changes, position, isComplete: position.n >= range.until.n };
  }

  /**
   * A whole range in blocks. The next block is read while one is used, so two are in memory. `bytesMax` is
   * asked before each.
   */
  async *blocks(
    range: HistoryRange,
    filter: StreamFilter,
    bytesMax: () => number,
  ): AsyncGenerator<HistoryBlock> {
    let read = 0;
    let before = range.after.n;
    const blockAfter = (after: Position, count: number, bytes: number) =>
      this.#block({ ...range, after }, filter, Math.min(paidChanges(read), count), bytes);
    let next = blockAfter(range.after, FIRST_BLOCK_CHANGES, bytesMax());
    for (;;) {
      const block = await next;
      const isPaid = !needsPermit(read) || block.read === 0;
      read += block.read;
      const isComplete = block.read === 0 || block.position.n >= range.until.n;
      if (!isComplete) {
        const bytes = bytesMax();
        next = blockAfter(block.position, changesOfBlock(block.read, bytesOf(block.all), bytes), bytes);
        next.catch(() => {}); // The reader of the next block gets the fault.
      }
      const position = isComplete ? range.until : block.position;
      yield { lines: linesOf(block, before), position, isComplete, needsPermit: !isPaid };
      before = block.all.at(-1)?.position.n ?? before;
      if (isComplete) return;
    }
  }

  /** The next changes of a range: at most `count` are read. */
  async #block({ after, until }: HistoryRange, filter: StreamFilter, count: number, bytesMax: number) {
    const { newsId } = filter;
    const reading = { after: after.n, until: until.n, newsId, count, bytesMax };
    const { changes, last, read } = await this.#past.changes(reading);
    const shown = changes.flatMap((change) => {
      const how = shownInHistory(filter, change);
      return how === null ? [] : [{ change, form: how }];
    });
    const bytes = bytesOf(shown.map(({ change }) => change));
    return { all: changes, changes: shown, position: last ?? until, read, bytes };
  }
}

/** The changes that the filter passes, and progress in place of some others. `before` is the number of the change before them. */
function linesOf(
  { all, changes }: { readonly all: readonly HistoryChange[]; readonly changes: HistoryPage['changes'] },
  before: number,
): HistoryBlock['lines'] {
  if (changes.length === all.length) return changes;
  const shown = new Map(changes.map((one) => [one.change, one]));
  return all.flatMap((change, i): HistoryBlock['lines'] => {
    const line = shown.get(change);
    if (line !== undefined) return [line];
    const { position } = change;
    return showsProgress(all[i - 1]?.position.n ?? before, position.n) ? [{ progress: position }] : [];
  });
}

const bytesOf = (changes: readonly HistoryChange[]): number =>
  changes.reduce(
    (sum, change) =>
      sum + ('item' in change && typeof change.item === 'object' ? change.item.json.length : 0),
    0,
  );
