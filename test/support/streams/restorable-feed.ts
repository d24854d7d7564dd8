import { randomBytes } from 'node:crypto';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import type { KnownItem, StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import type {
  FeedPageSnapshot,
  FeedRange,
  ListedItem,
} from '../../../src/application/ports/feed/feed-store.js';
import type { PublishMode } from '../../../src/domain/feed/assign-scored-at.js';
import { type Mark, type Position, positionToken } from '../../../src/domain/feed/position.js';
import type { Moment } from '../../../src/domain/moment.js';

type Operation = {
  readonly run: (store: MemoryFeedStore) => Promise<unknown>;
  /** The marks given out before it. */
  readonly marksBefore: number;
};

type StoredParts = ConstructorParameters<typeof MemoryFeedStore>;

/**
 * A feed in memory that can return to an older state, as a database does after a restore: the changes that are left have
 * the same positions, and the changes made afterwards have other ones than the lost changes.
 */
export class RestorableFeed {
  #marks: Mark[] = [];
  #operations: Operation[] = [];
  #store = new MemoryFeedStore(...this.#recording());
  /** Every position that any state of the feed has had, as a token. */
  readonly #tokens = new Set([positionToken(this.#store.log.newest)]);
  /** How often it has returned to an older state. */
  restores = 0;

  get log(): MemoryFeedStore['log'] {
    return this.#store.log;
  }

  get state(): MemoryFeedStore['state'] {
    return this.#store.state;
  }

  /** Whether any state of the feed has had this position. */
  hasHad(position: Position): boolean {
    return this.#tokens.has(positionToken(position));
  }

  page(range: FeedRange): FeedPageSnapshot {
    return this.#store.page(range);
  }

  itemsAfter(after: Moment, count: number): readonly KnownItem[] {
    return this.#store.itemsAfter(after, count);
  }

  withItems(...changes: Parameters<MemoryFeedStore['withItems']>): readonly StoredChange[] {
    return this.#store.withItems(...changes);
  }

  publish(items: readonly ListedItem[], mode: PublishMode): Promise<unknown> {
    return this.#do((store) => store.publish(items, mode));
  }

  retract(id: string): Promise<unknown> {
    return this.#do((store) => store.retract(id));
  }

  raiseHead(seen: Moment | null, now: Moment): Promise<unknown> {
    return this.#do((store) => store.raiseHead(seen, now));
  }

  /** Removes the oldest changes from the log. */
  trim(count: number): Promise<unknown> {
    return this.#do(async (store) => store.log.removeOldest(count));
  }

  /** Returns to the state before the last `count` operations. */
  async restore(count: number): Promise<void> {
    const kept = this.#operations.slice(0, Math.max(0, this.#operations.length - count));
    const undone = this.#operations[kept.length];
    if (undone === undefined) return;
    this.restores += 1;
    this.#operations = kept;
    const marks = this.#marks.slice(0, undone.marksBefore);
    this.#marks = [];
    this.#store = new MemoryFeedStore(...this.#recording(marks));
    for (const { run } of kept) await run(this.#store);
  }

  async #do(run: Operation['run']): Promise<unknown> {
    const before = this.#store.log.newest.n;
    this.#operations.push({ run, marksBefore: this.#marks.length });
    const result = await run(this.#store);
    const added = this.#store.log.range(before + 1, Number.MAX_SAFE_INTEGER);
    for (const { position } of added) this.#tokens.add(positionToken(position));
    return result;
  }

  /** Gives these marks out first, and then new ones. */
  #recording(marks: readonly Mark[] = []): StoredParts {
    const next = () => {
      const mark = marks[this.#marks.length] ?? randomBytes(8).toString('hex');
      this.#marks.push(mark);
      return mark;
    };
    return [next];
  }
}
