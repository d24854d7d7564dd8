import type { FeedRange, ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from './builders.js';

/** The newest 500 items. */
export const EVERYTHING: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: [],
  count: 500,
};

/** The moment so many microseconds after `NOON`. */
export const at = (micros: number): Moment => plus(NOON, micros * MICROSECOND);

/** An item so many microseconds after `NOON`. Another time has another JSON. */
export const item = (id: string, micros: number, ...subMarketIds: readonly string[]): ListedItem => ({
  id,
  scoredAt: at(micros),
  subMarketIds,
  json: Buffer.from(`{"id":"${id}","scored":${micros}}`),
});
