import type { FeedItem } from '../../domain/feed/feed-item.js';
import { marketFactsOf } from '../../domain/feed/markets/market-facts.js';
import { samePosition } from '../../domain/feed/position.js';
import type { Stored } from '../../domain/feed/stored-item.js';
import { LAST_MOMENT } from '../../domain/moment.js';
import type { FeedHistory, StoredChange } from '../ports/feed/feed-history.js';
import type { RenderedItem } from '../ports/feed/feed-store.js';
import type {
  Generation,
  MarketProjection,
  ProjectedItem,
  ProjectionStep,
} from '../ports/feed/market-projection.js';
import type { MonotonicClock } from '../ports/monotonic-clock.js';
import { Unavailable } from '../unavailable.js';

/** Items or changes of one transaction, and the JSON that is read for it. Both keep it below the timeout of a statement. */
const BLOCK_MAX = 200;
const BLOCK_BYTES = 2_000_000;
const PAUSE_MS = 5;
/**
 * While it follows the log beside publishers, the job works an eighth of the time, so that publishers of many items at once are not
 * slowed down. When the log has had no new change for a while, it catches up.
 */
const PAUSES_PER_WORK = 7;
const PUBLISHERS_IDLE_MS = 2_000;
/** Rows of ended generations that are deleted at a time. */
const DELETED = 2_000;

type Parts = {
  readonly feedHistory: FeedHistory;
  readonly marketProjection: MarketProjection;
  readonly monotonicClock: MonotonicClock;
};

/**
 * Keeps the directory of markets equal to the feed (D65): it follows the change log, and stores rows and position together.
 *
 * States of a generation, and its transitions:
 * - *walking* (`walkedTo` is a time): it gets the items of the feed, oldest first. After the last one it is *following*;
 * - *following* (`walkedTo` is null): it gets the changes after its position. When it has the newest one it becomes *served*,
 *   and ends the generation that was served before;
 * - *lost*: the log does not have its position, because it is another history (D45) or was trimmed. A new generation begins,
 *   and the old one is served until that one is served.
 */
export class ProjectMarkets {
  readonly #history: FeedHistory;
  readonly #markets: MarketProjection;
  readonly #now: MonotonicClock;
  readonly #blockMax: number;
  #blockSize: number;
  #hasEnded = true;
  #isFollowing = false;
  /** The newest change that was seen, and when it was seen first. */
  #newest = { n: -1, seenAt: Number.NEGATIVE_INFINITY };

  constructor({ feedHistory, marketProjection, monotonicClock }: Parts, blockMax: number = BLOCK_MAX) {
    this.#history = feedHistory;
    this.#markets = marketProjection;
    this.#now = monotonicClock;
    this.#blockMax = blockMax;
    this.#blockSize = blockMax;
  }

  /** Does blocks until there is nothing to do, or until `mayWork` is false. Leaves the database to requests between two blocks. */
  async run(mayWork: () => boolean, pause: (ms: number) => Promise<unknown>): Promise<void> {
    while (mayWork()) {
      const begunAt = this.#now();
      if (!(await this.step())) return;
      const tookMs = this.#now() - begunAt;
      // By the begin: a change that was seen in this block counts, however long a slow database took for the block.
      const isBesidePublishers = this.#isFollowing && begunAt - this.#newest.seenAt < PUBLISHERS_IDLE_MS;
      await pause(isBesidePublishers ? Math.max(PAUSE_MS, PAUSES_PER_WORK * tookMs) : PAUSE_MS);
    }
  }

  /** Does one block. Returns false when the served generation has every change, and nothing is left to delete. */
  async step(): Promise<boolean> {
    try {
      const isMore = await this.#advance();
      this.#blockSize = Math.min(this.#blockMax, this.#blockSize * 2);
      if (isMore) return true;
      if (this.#hasEnded) this.#hasEnded = await this.#markets.deleteEnded(DELETED);
      return this.#hasEnded;
    } catch (fault) {
      // The block may have been too much for a slow server.
      if (fault instanceof Unavailable) this.#blockSize = Math.max(1, Math.floor(this.#blockSize / 2));
      throw fault;
    }
  }

  async #advance(): Promise<boolean> {
    const generations = await this.#markets.generations();
    const generation = generations.find(({ isServed }) => !isServed) ?? generations[0];
    if (generation === undefined) return this.#begin();
    this.#isFollowing = generation.isServed;
    return generation.walkedTo === null
      ? this.#follow(generation)
      : this.#walk(generation, generation.walkedTo);
  }

  async #begin(): Promise<true> {
    const { newest } = await this.#history.itemsAfter(LAST_MOMENT, 1);
    await this.#markets.begin(newest);
    return true;
  }

  /** Changes that are made during the walk are after the position of the generation, so they follow. */
  async #walk(from: Generation, after: NonNullable<Generation['walkedTo']>): Promise<boolean> {
    const { items } = await this.#history.itemsAfter(after, this.#blockSize, BLOCK_BYTES);
    const walkedTo = items.at(-1)?.scoredAt ?? null;
    return this.#apply({ from, to: { ...from, walkedTo }, removed: [], items: items.map(projected) });
  }

  async #follow(from: Generation): Promise<boolean> {
    const { n } = from.position;
    const { newest, changes } = await this.#history.changes(n, 1 + this.#blockSize, BLOCK_BYTES);
    if (newest.n !== this.#newest.n) this.#newest = { n: newest.n, seenAt: this.#now() };
    const [last, ...others] = changes;
    if (last === undefined || !samePosition(last.position, from.position)) return this.#begin();
    const position = others.at(-1)?.position ?? from.position;
    const isCaughtUp = samePosition(position, newest);
    if (isCaughtUp && from.isServed && others.length === 0) return false;
    const to = { ...from, position, isServed: from.isServed || isCaughtUp };
    await this.#apply({ from, to, ...effectOf(others) });
    return !isCaughtUp;
  }

  async #apply(step: ProjectionStep): Promise<true> {
    await this.#markets.apply(step);
    if (step.to.isServed !== step.from.isServed) this.#hasEnded = true;
    return true;
  }
}

/** A publication has its item only if it is the last change of the id, so the order of the others does not count. */
function effectOf(changes: readonly StoredChange[]): Pick<ProjectionStep, 'removed' | 'items'> {
  const removed: string[] = [];
  const items: ProjectedItem[] = [];
  for (const change of changes) {
    if (change.kind === 'retracted') removed.push(change.id);
    if ('item' in change && change.item !== null) items.push(projected(change.item));
  }
  return { removed, items };
}

const projected = ({ id, scoredAt, json }: RenderedItem): ProjectedItem => ({
  id,
  scoredAt,
  markets: marketFactsOf(JSON.parse(json.toString('utf8')) as Stored<FeedItem>),
});
