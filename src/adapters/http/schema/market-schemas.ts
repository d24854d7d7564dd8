import { MARKET_KINDS } from '../../../domain/feed/markets/market-facts.js';
import { snapshotMembers } from './feed-schemas.js';
import {
  arrayOf,
  closed,
  described,
  id,
  integer,
  orNull,
  type Properties,
  ref,
  text,
  url,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

/** The directory of markets (D63). */
export const marketSchemas: Properties = {
  Market: closed({
    market_id: described(
      id,
      'The id of the market. A main market and a sub-market can have the same id: `kind` tells them apart.',
    ),
    kind: described({ enum: MARKET_KINDS }, 'Whether it is a main market or a sub-market.'),
    main_market_id: described(orNull(id), 'The main market of a sub-market. Null for a main market.'),
    market_url: described(url, 'The page of the market at its venue.'),
    market_title: described(text, 'The title of the market.'),
    venue: described(orNull(text), 'The host of `market_url` without `www.`.'),
    outcomes: described(
      { oneOf: [ref('MarketOutcomes'), { type: 'null' }] },
      'The outcomes of a sub-market. Null for a main market.',
    ),
    first_news_at: described(writtenMoment, 'The `scored_at` of the oldest item with this market.'),
    last_news_at: described(writtenMoment, 'The `scored_at` of the newest item with this market.'),
    news_count: described(integer, 'The number of items with this market that are in the feed.'),
    last_snapshot: described(
      { oneOf: [ref('DatedSnapshot'), { type: 'null' }] },
      'The snapshot of a sub-market in its newest item. Null for a main market.',
    ),
    refs: described(arrayOf(text), 'The references of the request that mean this market, as they were sent.'),
  }),
  MarketOutcomes: closed({
    yes: described(ref('Outcome'), 'The outcome YES.'),
    no: described(ref('Outcome'), 'The outcome NO.'),
  }),
  DatedSnapshot: closed({
    ...snapshotMembers,
    scored_at: described(writtenMoment, 'The `scored_at` of the item with this snapshot.'),
  }),
  MarketPage: closed({
    markets: described(arrayOf(ref('Market')), 'The markets of this page, in the order of `sort`.'),
    next_cursor: described(orNull(text), 'Send it as `cursor` for the next page. Null on the last page.'),
    unknown: described(
      arrayOf(text),
      'The references of the request that no market of the feed has, as they were sent.',
    ),
  }),
};
