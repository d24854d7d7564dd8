import type {
  FeedPast,
  HistoryChange,
  HistoryPart,
  HistoryReading,
  PastItem,
  PastRange,
} from '../../application/ports/feed/feed-past.js';
import { matches } from '../../domain/feed/feed-index.js';
import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import type { AsOf, FoundPoint, PastPoint } from '../../domain/feed/history/as-of.js';
import type { SandboxChange, SandboxLog } from '../../domain/sandbox/sandbox-log.js';
import {
  newestChangeAt,
  oldestChange,
  sandboxPosition,
  timeOfChange,
} from '../../domain/sandbox/sandbox-time.js';

type Parts = {
  readonly log: SandboxLog;
  /** The number of the newest change. */
  readonly newestNumber: () => number;
};

/** The history of the sandbox (D77). It begins with the oldest change of its log. */
export class SandboxPast implements FeedPast {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The change at which the history begins. */
  get start(): PastPoint {
    return this.#point(oldestChange(this.#parts.newestNumber()));
  }

  async find(asOf: AsOf): Promise<FoundPoint> {
    const newest = this.#parts.newestNumber();
    const oldest = oldestChange(newest);
    const n = asOf.by === 'position' ? asOf.position.n : Math.min(newest, newestChangeAt(asOf.time));
    return { start: this.#point(oldest), point: n >= oldest && n <= newest ? this.#point(n) : null };
  }

  async page(range: PastRange, { position }: PastPoint): Promise<readonly PastItem[]> {
    const found: PastItem[] = [];
    for (const { item, scoredAt } of this.#parts.log.published(position.n)) {
      if (found.length >= range.count) break;
      if (matches(item, { ...range, terms: NO_TERMS })) found.push({ scoredAt, item });
    }
    return found;
  }

  async changes({ after, until, newsId, count, bytesMax }: HistoryReading): Promise<HistoryPart> {
    const newest = this.#parts.newestNumber();
    const read: SandboxChange[] = [];
    let bytes = 0;
    for (let n = Math.max(after, oldestChange(newest)) + 1; n <= Math.min(until, newest); n += 1) {
      if (read.length >= count || bytes >= bytesMax) break;
      const change = this.#parts.log.change(n);
      if (newsId !== null && change.id !== newsId) continue;
      read.push(change);
      if (change.kind !== 'retracted') bytes += change.item.json.length;
    }
    const last = read.at(-1);
    return {
      changes: read.map(historyChange),
      last: last === undefined ? null : sandboxPosition(last.n),
      read: read.length,
    };
  }

  async last(id: string): Promise<HistoryChange | null> {
    const newest = this.#parts.newestNumber();
    for (let n = newest; n > oldestChange(newest); n -= 1) {
      const change = this.#parts.log.change(n);
      if (change.id === id) return historyChange(change);
    }
    return null;
  }

  /** Nobody operates the sandbox. */
  async publishedPerMinute(): Promise<readonly []> {
    return [];
  }

  async purges(): Promise<readonly []> {
    return [];
  }

  #point(n: number): PastPoint {
    return { position: sandboxPosition(n), knownAt: timeOfChange(n), head: this.#parts.log.headAfter(n) };
  }
}

function historyChange(change: SandboxChange): HistoryChange {
  const { n, id, revision, scoredAt } = change;
  const known = { position: sandboxPosition(n), knownAt: timeOfChange(n), id, revision, scoredAt };
  return change.kind === 'retracted'
    ? { ...known, kind: change.kind }
    : { ...known, kind: change.kind, item: change.item };
}
