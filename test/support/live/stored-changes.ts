import type { StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { type Position, type PositionToken, positionToken } from '../../../src/domain/feed/position.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../objects/builders.js';

/** The position of change `n` in a log. Two logs have other marks under the same numbers. */
export const positionIn = (n: number, log = 1): Position => ({
  n,
  mark: `${log}${'0'.repeat(7)}${(n % 2 ** 31).toString(16).padStart(8, '0')}`,
});

/** Its token. */
export const tokenIn = (n: number, log = 1): PositionToken => positionToken(positionIn(n, log));

/** An item with one sub-market in a main market of its own for each id, and a text of some length. */
export const listedItem = (
  id: string,
  n: number,
  markets: readonly string[] = [],
  text = '',
): ListedItem => ({
  ...{ id, scoredAt: plus(NOON, n * SECOND), subMarketIds: markets },
  json: Buffer.from(
    JSON.stringify({
      news_event: { id, text },
      related_markets: markets.map((market) => ({ sub_markets: [{ sub_market_id: market }] })),
    }),
  ),
});

/** When change `n` became known. */
export const knownIn = (n: number): Moment => plus(NOON, n * SECOND + 1);

const changeIn = (n: number, log?: number) => ({ position: positionIn(n, log), knownAt: knownIn(n) });

type Given = {
  readonly item?: ListedItem | null;
  readonly markets?: readonly string[];
  readonly text?: string;
  readonly log?: number;
};

const withItem = (kind: 'published' | 'replaced', n: number, id: string, given: Given): StoredChange => {
  const item = given.item === undefined ? listedItem(id, n, given.markets, given.text) : given.item;
  return { kind, id, item, scoredAt: plus(NOON, n * SECOND), ...changeIn(n, given.log) };
};

export const published = (n: number, id = `i${n}`, given: Given = {}): StoredChange =>
  withItem('published', n, id, given);

export const replaced = (n: number, id: string, given: Given = {}): StoredChange =>
  withItem('replaced', n, id, given);

export const retracted = (n: number, id: string): StoredChange => ({
  kind: 'retracted',
  id,
  ...changeIn(n),
});

export const raised = (n: number): StoredChange => ({
  kind: 'raised',
  head: plus(NOON, n * SECOND),
  ...changeIn(n),
});

/** Publications with the numbers from `first` on. */
export const publishedFrom = (first: number, count: number, given: Given = {}): readonly StoredChange[] =>
  Array.from({ length: count }, (_, i) => published(first + i, `i${first + i}`, given));
