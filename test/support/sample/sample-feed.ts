import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { SAMPLE_OUTLETS, type SampleOutlet } from './sample-outlets.js';
import { sampleRelatedMarkets } from './sample-related-markets.js';
import { SAMPLE_TOPICS } from './sample-topics.js';

/** The average interval between items: about 290 a day. */
const SPACING = 5 * MINUTE;
const SHORT_HEADLINE = 48;

const BUCKETS = ['high', 'high', 'medium', 'low'] as const;
const OPENINGS = [
  'The account comes from people who took part in the talks and asked not to be named.',
  'The statement was published overnight and confirmed by a spokeswoman in the morning.',
  'Two offices gave figures that differ slightly; the lower one is used here.',
] as const;
const DETAILS = [
  'A first vote is due within the fortnight, and a second one follows only if it fails.',
  'Those concerned have until the end of the month to object in writing.',
  'Observers had put the odds of such a step at about one in three.',
  'The timetable leaves four working days between the hearing and the decision.',
  'A similar attempt two years ago ended without a result, for want of a quorum.',
  'Local offices were told to prepare for either outcome.',
  'The text runs to eleven pages, three of which are set aside for exceptions.',
] as const;

/** The `n`-th sample publication, scored at `at`. The same arguments give the same publication. */
export function samplePublication(n: number, at: Moment): PublicationInput {
  const random = new SeededRandom(n);
  const id = `ne_${String(n).padStart(10, '0')}`;
  const topic = random.pick(SAMPLE_TOPICS);
  const outlet = random.pick(SAMPLE_OUTLETS);
  const headline = random.pick(topic.headlines);
  const opening = random.pick(OPENINGS);
  const endpointPublishedAt = plus(at, -random.whole(1, 2 * SECOND));
  return {
    news_event: {
      id,
      headline,
      short_headline: shortened(headline),
      source_news_url: random.chance(0.9) ? `https://${outlet.domain}/stories/${id.slice(3)}` : null,
      source_name: outlet.name,
      source_type: outlet.type,
      source_tier: outlet.tier,
      source_url: outlet.feed === null ? null : `https://${outlet.domain}${outlet.feed}`,
      short_context: opening,
      long_context: [opening, topic.background, ...random.some(DETAILS, random.whole(3, 4))].join(' '),
      author: authorOf(outlet, random),
      feed_categories: random.chance(0.2) ? [...topic.categories, 'breaking'] : topic.categories,
      source_published_at: plus(endpointPublishedAt, -random.whole(MINUTE, 40 * MINUTE)),
      endpoint_published_at: endpointPublishedAt,
      aggregate_event_relevance: { bucket: random.pick(BUCKETS) },
    },
    related_markets: sampleRelatedMarkets(topic, at, random),
    scored_at: at,
  };
}

/** `count` publications, scored at intervals before `newest`, oldest first. */
export function sampleFeed(count: number, newest: Moment): readonly PublicationInput[] {
  return Array.from({ length: count }, (_, n) => {
    const jitter = new SeededRandom(-1 - n).whole(1, SPACING - 1);
    return samplePublication(n, plus(newest, -(count - 1 - n) * SPACING - jitter));
  });
}

function shortened(headline: string): string {
  const characters = [...headline];
  return characters.length <= SHORT_HEADLINE
    ? headline
    : `${characters
        .slice(0, SHORT_HEADLINE - 1)
        .join('')
        .trimEnd()}…`;
}

function authorOf({ authors }: SampleOutlet, random: SeededRandom): string | null {
  const [first, ...others] = authors;
  return first === undefined || random.chance(0.15) ? null : random.pick([first, ...others]);
}
