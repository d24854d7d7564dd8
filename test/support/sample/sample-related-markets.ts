import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { MICROSECOND, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import {
  mainMarket,
  marketUrl,
  momentumOf,
  SNAPSHOT_NOTE,
  tokenId,
} from '../../../src/domain/stories/sample-exchange.js';
import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { SAMPLE_MARKETS, type SampleMarket } from './sample-markets.js';
import type { SampleTopic } from './sample-topics.js';

type RelatedMarket = PublicationInput['related_markets'][number];
type SubMarket = RelatedMarket['sub_markets'][number];

/** Keeps every item below 8 KB. */
const SUB_MARKETS_MAX = 5;

const BUCKETS = ['high', 'medium', 'low'] as const;
const EFFECTS = ['supports', 'supports', 'weakens', 'neutral'] as const;
const CHAINS = [
  'the report removes one of the two conditions that still stood in the way, and the other is expected to fall within days.',
  'two sources with knowledge of the matter describe the same timetable, which is earlier than the one the price implies.',
  'the story repeats what was known a week ago, but it is the first time that an official has said so on the record.',
  'nothing in the rules of settlement turns on this directly; it shifts how likely the parties are to hold to the agreed date.',
  'past reports of this kind were withdrawn in about one case of three, so the effect is real and should be read with care.',
] as const;
const LINKS = [
  'The story is about the event that settles this market.',
  'The story changes what participants know before the market is settled.',
  'The parties to the story decide part of what this market asks.',
  'A second effect: the same season and the same bodies are involved.',
] as const;

/** One to three related markets of a story: first one of its topic, then any others. */
export function sampleRelatedMarkets(
  topic: SampleTopic,
  at: Moment,
  random: SeededRandom,
): readonly RelatedMarket[] {
  const first = random.pick(topic.markets);
  const own = SAMPLE_MARKETS.filter(({ slug }) => slug === first);
  const others = SAMPLE_MARKETS.filter(({ slug }) => slug !== first);
  const markets = [...own, ...random.some(others, random.whole(0, 2))];
  let room = SUB_MARKETS_MAX;
  return markets.map((market, i) => {
    const remaining = markets.length - 1 - i;
    const count = random.whole(1, Math.min(4, market.subTitles.length, room - remaining));
    room -= count;
    return relatedMarket(market, count, at, random);
  });
}

function relatedMarket(market: SampleMarket, count: number, at: Moment, random: SeededRandom): RelatedMarket {
  const subMarkets = market.subTitles.map((_, i) => i);
  return {
    main_market: mainMarket(market.slug, market.title),
    market_relationship: { bucket: random.pick(BUCKETS), summary: random.pick(LINKS) },
    sub_markets: random.some(subMarkets, count).map((index) => subMarket(market, index, at, random)),
  };
}

function subMarket(market: SampleMarket, index: number, at: Moment, random: SeededRandom): SubMarket {
  const marketRandom = new SeededRandom(SAMPLE_MARKETS.indexOf(market) * 100 + index);
  const title = market.subTitles[index] ?? market.title;
  const move = random.whole(-60, 60) / 10;
  return {
    sub_market_id: `sm-${market.slug}-${index + 1}`,
    sub_market_title: title,
    market_url: `${marketUrl(market.slug)}/${index + 1}`,
    outcomes: tokens(marketRandom),
    news_effect: {
      affected_outcome: random.chance(0.8) ? 'YES' : 'NO',
      effect: random.pick(EFFECTS),
      relevance_bucket: random.pick(BUCKETS),
      rationale: `On “${title}”: ${random.pick(CHAINS)}`,
    },
    market_snapshot: snapshot(marketRandom.whole(12, 88), random),
    momentum: momentumOf(move),
    scored_at: plus(at, -random.whole(0, (3 * SECOND) / MICROSECOND)),
  };
}

/** The tokens of a sub-market, the same in every item. Some sub-markets have none. */
function tokens(marketRandom: SeededRandom): SubMarket['outcomes'] {
  const known = marketRandom.chance(0.7);
  const token = () => ({ token_id: known ? tokenId(marketRandom) : null });
  return { yes: token(), no: token() };
}

/** Prices near the usual price of the sub-market. The sum of both asks is slightly above 1. */
function snapshot(usualCents: number, random: SeededRandom): SubMarket['market_snapshot'] {
  const yesCents = usualCents + random.whole(-8, 8);
  const noCents = 100 - yesCents + random.whole(1, 3);
  const volume = random.whole(0, 9_000_000) / 100;
  return {
    yes_ask: yesCents / 100,
    no_ask: noCents / 100,
    volume_24h: volume,
    total_volume: Math.round(volume * random.whole(300, 9_000)) / 100,
    yes_ask_source: 'ask',
    no_ask_source: random.chance(0.9) ? 'ask' : 'last',
    yes_tick_age_seconds: random.whole(0, 900),
    no_tick_age_seconds: random.whole(0, 900),
    note: SNAPSHOT_NOTE,
  };
}
