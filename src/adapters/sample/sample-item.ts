import type { FeedItem, PublicationInput } from '../../domain/feed/feed-item.js';
import { type Moment, parseMoment } from '../../domain/moment.js';
import { frontPageInput, frontPageItem } from './front-page-story.js';

const text = '2026-01-31T12:00:00.000000Z';
/** The time at which the item of all examples was scored. */
export const SAMPLE_SCORED_AT: Moment = required(parseMoment(text));

/** The item of all examples, in the form that a publisher sends. */
export const sampleInput = (): PublicationInput => withOneMarket(frontPageInput(SAMPLE_SCORED_AT));

/** The item of all examples, as on a page. */
export const sampleItem = (): FeedItem => withOneMarket(frontPageItem(SAMPLE_SCORED_AT));

/** One sub-market shows every field. */
function withOneMarket<Item extends FeedItem | PublicationInput>(item: Item): Item {
  const [market] = item.related_markets;
  const markets = market === undefined ? [] : [{ ...market, sub_markets: market.sub_markets.slice(0, 1) }];
  return { ...item, related_markets: markets };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the time of the sample item is not valid');
  return value;
}
