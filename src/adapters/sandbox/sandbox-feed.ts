import type {
  FeedHistory,
  ItemsPart,
  LoggedPositions,
  LogPart,
  StoredChange,
} from '../../application/ports/feed/feed-history.js';
import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../application/ports/feed/feed-store.js';
import { matches } from '../../domain/feed/feed-index.js';
import { NO_TERMS, passes, type Term, termsOf } from '../../domain/feed/filters/item-terms.js';
import type { Position } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';
import type { SandboxChange, SandboxItem, SandboxLog } from '../../domain/sandbox/sandbox-log.js';
import {
  newestChangeAt,
  oldestChange,
  sandboxPosition,
  timeOfChange,
} from '../../domain/sandbox/sandbox-time.js';

type Parts = { readonly log: SandboxLog; readonly clock: () => Moment };

/** The feed of the sandbox, with its change log (D77). Nothing is stored: every answer is computed from the time. */
export class SandboxFeed implements FeedPages, FeedHistory {
  readonly #parts: Parts;
  readonly #terms = new WeakMap<SandboxItem, ReadonlySet<Term>>();
  #newest = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The number of the newest change. It never falls, whatever the clock shows. */
  get newestNumber(): number {
    this.#newest = Math.max(this.#newest, newestChangeAt(this.#parts.clock()));
    return this.#newest;
  }

  get state(): State {
    return this.#stateAt(this.newestNumber);
  }

  page(range: FeedRange): FeedPageSnapshot {
    const n = this.newestNumber;
    const found: { readonly n: number; readonly item: SandboxItem }[] = [];
    for (const change of this.#parts.log.published(n)) {
      if (found.length >= range.count) break;
      if (this.#passes(change.item, range)) found.push(change);
    }
    const version = found.map((change) => ` ${change.n}`).join('');
    return { items: found.map(({ item }) => item), ...this.#stateAt(n), version };
  }

  /** The changes with `first <= number < first + count`, without those before the log, with their items unless they changed again. */
  logged(
    first: number,
    count: number,
    bytesMax = Number.MAX_SAFE_INTEGER,
    newest = this.newestNumber,
  ): readonly StoredChange[] {
    const begin = Math.max(first, oldestChange(newest));
    const changes: StoredChange[] = [];
    let bytes = 0;
    for (let n = begin; n < first + count && n <= newest && bytes < bytesMax; n += 1) {
      const change = this.#parts.log.change(n);
      changes.push(storedChange(change, newest));
      if (change.kind !== 'retracted' && isCurrent(change, newest)) bytes += change.item.json.length;
    }
    return changes;
  }

  async changes(first: number, count: number, bytesMax?: number): Promise<LogPart> {
    const ends = this.#ends();
    return { ...ends, changes: this.logged(first, count, bytesMax, ends.newest.n) };
  }

  async itemsAfter(after: Moment, count: number, bytesMax = Number.MAX_SAFE_INTEGER): Promise<ItemsPart> {
    const { newest } = this.#ends();
    let bytes = 0;
    const items = [...this.#parts.log.published(newest.n)]
      .reverse()
      .filter(({ scoredAt }) => scoredAt > after)
      .slice(0, count)
      .filter(({ item }) => {
        const isIncluded = bytes < bytesMax;
        bytes += item.json.length;
        return isIncluded;
      })
      .map(({ item, n }) => ({ ...item, n, knownAt: timeOfChange(n) }));
    return { newest, items };
  }

  async positionsOf(numbers: readonly number[]): Promise<LoggedPositions> {
    const { oldest, newest } = this.#ends();
    const found = numbers.filter((n) => n >= oldest && n <= newest.n);
    return { oldest, newest, positions: new Map(found.map((n) => [n, sandboxPosition(n)])) };
  }

  /** One reading of the clock serves a whole answer: its items, position and head belong together. */
  #stateAt(n: number): State {
    return { position: sandboxPosition(n), head: this.#parts.log.headAfter(n) };
  }

  #ends() {
    const n = this.newestNumber;
    return { oldest: oldestChange(n), newest: sandboxPosition(n) };
  }

  /** The terms of an item are read at the first filter by content. */
  #passes(item: SandboxItem, range: FeedRange): boolean {
    if (!matches(item, { ...range, terms: NO_TERMS })) return false;
    if (range.terms.length === 0) return true;
    const known = this.#terms.get(item) ?? termsOf(item);
    this.#terms.set(item, known);
    return passes(range.terms, known);
  }
}

type State = { readonly position: Position; readonly head: Moment };

const isCurrent = ({ nextOfId }: SandboxChange, newest: number): boolean =>
  nextOfId === null || nextOfId > newest;

function storedChange(change: SandboxChange, newest: number): StoredChange {
  const { n, id } = change;
  const known = { position: sandboxPosition(n), knownAt: timeOfChange(n), id };
  if (change.kind === 'retracted') return { ...known, kind: change.kind };
  const { kind, scoredAt, item } = change;
  return { ...known, kind, scoredAt, item: isCurrent(change, newest) ? item : null };
}
