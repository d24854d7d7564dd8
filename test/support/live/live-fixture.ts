import { expect } from 'chai';
import { ChangeEntry } from '../../../src/adapters/live/changes/change-entry.js';
import { LiveFeed } from '../../../src/adapters/live/changes/live-feed.js';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import type { LoggedPositions, LogPart } from '../../../src/application/ports/feed/feed-history.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { type Position, type PositionToken, positionToken } from '../../../src/domain/feed/position.js';
import { NO_FILTER } from '../../../src/domain/feed/stream-filter.js';
import { listedItem } from './stored-changes.js';

/** A live feed over a store in memory. It follows the store when a test says so. */
export class LiveFixture {
  store = new MemoryFeedStore();
  readonly reads: string[] = [];
  /** Runs after a part was read from the store, before it is used. */
  afterRead: () => void | Promise<void> = () => {};
  /** What `readNow` does. */
  onReadNow: () => void | Promise<void> = () => this.follow();
  isDown = false;
  readonly feed: LiveFeed;

  constructor(limits: { readonly windowBytes?: number; readonly blocksBytes?: number } = {}) {
    const readNow = async () => this.onReadNow();
    const changes = (first: number, count: number, bytesMax?: number) =>
      this.#changes(first, count, bytesMax);
    const history = { changes, positionsOf: (numbers: readonly number[]) => this.#positionsOf(numbers) };
    this.feed = new LiveFeed({ history, readNow, now: () => 5, ...limits });
  }

  async #changes(first: number, count: number, bytesMax?: number): Promise<LogPart> {
    this.reads.push(`${first}+${count}`);
    if (this.isDown) throw new Unavailable('the store');
    const log = await new MemoryFeedHistory(this.store).changes(first, count, bytesMax);
    await this.afterRead();
    return log;
  }

  async #positionsOf(numbers: readonly number[]): Promise<LoggedPositions> {
    this.reads.push(`positions ${numbers}`);
    if (this.isDown) throw new Unavailable('the store');
    const read = await new MemoryFeedHistory(this.store).positionsOf(numbers);
    await this.afterRead();
    return read;
  }

  async publish(first: number, count: number, text = ''): Promise<void> {
    const numbers = Array.from({ length: count }, (_, i) => first + i);
    await this.store.publish(
      numbers.map((n) => listedItem(`i${n}`, n, [], text)),
      'live',
    );
  }

  /** Rebuilds the live feed at the newest change of the store. */
  rebuild(): void {
    const { position, head } = this.store.state;
    this.feed.rebuild(position, null);
    this.feed.noteHead(head);
  }

  /** Hands the changes over that the live feed does not have yet. */
  follow(): void {
    const n = this.feed.state?.position.n ?? 0;
    const { log } = this.store;
    const changes = log.range(n + 1, 10_000).map(({ position, change }) => ({
      position,
      ...(change ?? { kind: 'start' as const }),
    }));
    this.feed.add(this.store.withItems(changes));
  }

  positionOf(n: number): Position {
    return this.store.log.range(n, 1)[0]?.position ?? expect.fail(`no change ${n}`);
  }

  tokenOf(n: number): PositionToken {
    return positionToken(this.positionOf(n));
  }

  /** The number of the found change; with a minus if its item is missing. */
  async found(n: number): Promise<unknown> {
    const entry = await this.feed.entry(n);
    if (!(entry instanceof ChangeEntry)) return entry;
    return entry.messageFor(NO_FILTER) === null ? -entry.n : entry.n;
  }
}

/** A live feed that started at change `n`, and whose window has none of the changes up to it. */
export async function startedAt(
  n: number,
  limits?: ConstructorParameters<typeof LiveFixture>[0],
): Promise<LiveFixture> {
  const live = new LiveFixture(limits);
  await live.publish(1, n);
  live.rebuild();
  return live;
}
