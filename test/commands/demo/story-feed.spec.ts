import { expect } from 'chai';
import fc from 'fast-check';
import { validator } from '../../../src/adapters/http/schema/validator.js';
import { storyOrder } from '../../../src/adapters/stories/story-order.js';
import { type FeedStep, StoryFeed } from '../../../src/commands/demo/stories/story-feed.js';
import { type PublicationInput, readPublication } from '../../../src/domain/feed/feed-item.js';
import { DAY, MILLISECOND, plus, SECOND } from '../../../src/domain/moment.js';
import type { Story, StoryEffect, StoryStep } from '../../../src/domain/stories/story.js';
import { stepInRound } from '../../../src/domain/stories/story-rounds.js';
import { accepted, NOON } from '../../support/objects/builders.js';

const STEPS = 400;

/** The publications of the backlog and of the steps after it, and the ids that are retracted. */
function played(otherLanguages: boolean) {
  const feed = new StoryFeed({ otherLanguages });
  const backlog = feed.backlog(NOON);
  const steps = Array.from({ length: STEPS }, (_, i) => feed.next(plus(NOON, i * 5 * SECOND)));
  const live = steps.flatMap((step) => (step.kind === 'publish' ? [step.publication] : []));
  const retracted = steps.flatMap((step) => (step.kind === 'retract' ? [step.id] : []));
  return { backlog, steps, publications: [...backlog, ...live], retracted };
}

const subMarketsOf = ({ related_markets }: PublicationInput) =>
  related_markets.flatMap(({ sub_markets }) => sub_markets);

/** The prices of YES in cents, and the item of each, by sub-market in the order of the feed. */
function pricesOf(publications: readonly PublicationInput[]) {
  const prices = new Map<
    string,
    { readonly item: PublicationInput; readonly cents: number; readonly pp: number }[]
  >();
  for (const item of publications) {
    for (const { sub_market_id, market_snapshot, momentum } of subMarketsOf(item)) {
      const entry = { item, cents: Math.round(market_snapshot.yes_ask * 100), pp: momentum.pre_move_pp };
      prices.set(sub_market_id, [...(prices.get(sub_market_id) ?? []), entry]);
    }
  }
  return prices;
}

const idOf = (step: FeedStep): string => (step.kind === 'publish' ? step.publication.news_event.id : step.id);

/** The direction of the price of YES: up if YES becomes likelier. */
const directionOf = ({ effect, outcome }: StoryEffect): 1 | -1 =>
  (effect === 'supports' && outcome === 'YES') || (effect === 'weakens' && outcome === 'NO') ? 1 : -1;

/** The stories of the first two rounds. */
const storiesInOrder = (): readonly Story[] => {
  const { backlog, live } = storyOrder(false);
  const first = [...backlog, ...live];
  const second = first.map((step) => stepInRound(step, 2));
  return [...first, ...second].flatMap(({ kind, story }) => (kind === 'publish' ? [story] : []));
};

for (const otherLanguages of [false, true]) {
  describe(`The story feed ${otherLanguages ? 'in all languages' : 'in English'}`, () => {
    const { backlog, publications, steps, retracted } = played(otherLanguages);

    it('is the same each time', () => {
      expect(played(otherLanguages).publications).to.deep.equal(publications);
    });

    it('has only publications that the publishing endpoint accepts (D30, D41)', () => {
      const faultsOf = validator('Publication');
      for (const input of publications) {
        expect(faultsOf(JSON.parse(JSON.stringify(input))), input.news_event.id).to.deep.equal([]);
        const now = plus(NOON, STEPS * 5 * SECOND);
        expect(accepted(readPublication(input, now, 'live')).scoredAt).to.equal(input.scored_at);
      }
    });

    it('has a backlog of more than 20 stories of the last day, oldest first', () => {
      expect(backlog).to.have.length.above(20);
      const times = backlog.map(({ scored_at = '' }) => scored_at);
      expect(times).to.deep.equal([...new Set(times)].sort());
      expect((times[0] ?? '') > plus(NOON, -DAY)).to.equal(true);
      expect((times.at(-1) ?? '') < NOON).to.equal(true);
    });

    it('has a long context that does not repeat the short one', () => {
      for (const { news_event } of publications)
        expect(news_event.long_context).not.to.include(news_event.short_context);
    });

    it('never ends: after the last story a new round begins, with ids and markets of its own', () => {
      const { backlog: first, live } = storyOrder(otherLanguages);
      const idsOf = (inOrder: readonly StoryStep[]) => inOrder.map(({ story }) => story.id);
      const all = [...idsOf(first), ...idsOf(live)];
      const inRound = (round: number) => all.map((id) => `${id}-round-${round}`);
      const expected = [...idsOf(live), ...[2, 3, 4, 5, 6, 7, 8].flatMap(inRound)];
      expect(expected).to.have.length.above(STEPS);
      expect(steps.map(idOf)).to.deep.equal(expected.slice(0, STEPS));
      for (const { news_event, related_markets } of publications) {
        const round = /-round-\d+$/.exec(news_event.id)?.[0];
        for (const { main_market } of related_markets)
          expect(/-round-\d+$/.exec(main_market.market_id)?.[0]).to.equal(round);
      }
    });

    it('has the same prices in each round, and says in its texts which round it is', () => {
      const opening = (suffix: string) => {
        const entry = pricesOf(publications).get(`sm-halvex-strait${suffix}-midsummer`)?.[0];
        return { cents: entry?.cents ?? Number.NaN, text: JSON.stringify(entry?.item) };
      };
      const second = opening('-round-2');
      expect(second.cents).to.equal(opening('').cents);
      expect(second.text).to.include('(round 2)').and.include('This is round 2');
      expect(opening('').text).not.to.match(/round \d/);
    });

    it('retracts only items that it has published', () => {
      expect(retracted[0]).to.equal('ne_halvex-freighter-boarded');
      expect(retracted[1]).to.equal('ne_halvex-freighter-boarded-round-2');
      for (const id of retracted) {
        const published = steps.findIndex((step) => step.kind === 'publish' && idOf(step) === id);
        const at = steps.findIndex((step) => step.kind === 'retract' && idOf(step) === id);
        expect(published).to.be.within(0, at - 1);
      }
    });

    it('has prices above 0 and below 1, whose sum is at least 1', () => {
      for (const { market_snapshot } of publications.flatMap(subMarketsOf)) {
        const { yes_ask, no_ask } = market_snapshot;
        expect(Math.min(yes_ask, no_ask)).to.be.at.least(0.01);
        expect(Math.max(yes_ask, no_ask)).to.be.at.most(0.99);
        expect(yes_ask + no_ask).to.be.within(0.999, 1.021);
      }
    });

    it('tags each price with its move since the previous item of the sub-market', () => {
      for (const entries of pricesOf(publications).values()) {
        for (const [i, { cents, pp }] of entries.entries()) {
          const previous = entries[i - 1];
          if (previous !== undefined) expect(pp).to.equal(cents - previous.cents);
        }
      }
    });

    it('has the same ids, titles and tokens for a sub-market in every item, and a growing turnover', () => {
      const seen = new Map<string, { readonly fixed: string; readonly total: number }>();
      for (const sub of publications.flatMap(subMarketsOf)) {
        const fixed = JSON.stringify([sub.sub_market_title, sub.market_url, sub.outcomes]);
        const before = seen.get(sub.sub_market_id);
        if (before !== undefined) {
          expect(fixed).to.equal(before.fixed);
          expect(sub.market_snapshot.total_volume).to.be.above(before.total);
        }
        seen.set(sub.sub_market_id, { fixed, total: sub.market_snapshot.total_volume });
      }
      expect(seen.size).to.be.above(30);
    });
  });
}

describe('The prices of the story feed', () => {
  it('show in the next item of a sub-market the move that the news implied', () => {
    const { publications } = played(false);
    const prices = pricesOf(publications);
    let checked = 0;
    const contradictions: string[] = [];
    const newest = new Map<string, number>();
    for (const story of storiesInOrder()) {
      for (const { market, effects } of story.markets) {
        for (const effect of effects) {
          const id = `sm-${market.slug}-${effect.on}`;
          const i = newest.get(id) ?? 0;
          newest.set(id, i + 1);
          const [now, next] = (prices.get(id) ?? []).slice(i);
          expect(now?.item.news_event.headline).to.equal(story.headline);
          if (next === undefined || now === undefined || effect.effect === 'neutral' || effect.points < 5)
            continue;
          const isUndone =
            story.id === next.item.news_event.id || story.id.startsWith('ne_halvex-freighter-boarded');
          if (isUndone) continue;
          checked += 1;
          if (Math.sign(next.cents - now.cents) !== directionOf(effect))
            contradictions.push(`${story.id} ${id}: ${now.cents} then ${next.cents}`);
        }
      }
    }
    expect(contradictions).to.deep.equal([]);
    expect(checked).to.be.above(90);
  });

  it('undo the moves of a retracted story and of the version before a correction', () => {
    const { publications } = played(false);
    const prices = pricesOf(publications);
    const strait = prices.get('sm-halvex-strait-midsummer') ?? [];
    const boarded = strait.findIndex(({ item }) => item.news_event.id === 'ne_halvex-freighter-boarded');
    expect(strait[boarded + 1]?.cents ?? 0).to.be.above(strait[boarded]?.cents ?? 100);
    const above4 = prices.get('sm-sundrel-inflation-above-4') ?? [];
    const [wrong, corrected] = above4.filter(
      ({ item }) => item.news_event.id === 'ne_sundrel-inflation-release',
    );
    expect(corrected?.cents ?? 100).to.be.below(wrong?.cents ?? 0);
  });
});

describe('The source times of the story feed', () => {
  it('follow the plot for every market, and are never in the future, at any interval between the steps', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 120_000 }), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(fc.boolean(), gaps, (otherLanguages, gaps) => {
        const feed = new StoryFeed({ otherLanguages });
        const published = feed.backlog(NOON).map((item) => ({ item, at: item.scored_at ?? NOON }));
        let at = NOON;
        for (const gap of gaps) {
          at = plus(at, gap * MILLISECOND);
          const step = feed.next(at);
          if (step.kind === 'publish') published.push({ item: step.publication, at });
        }
        const newest = new Map<string, string>();
        for (const { item, at } of published) {
          const { source_published_at, endpoint_published_at = '' } = item.news_event;
          expect(source_published_at <= endpoint_published_at && endpoint_published_at <= at).to.equal(true);
          for (const { main_market } of item.related_markets) {
            const before = newest.get(main_market.market_id) ?? '';
            expect(source_published_at > before, item.news_event.id).to.equal(true);
            newest.set(main_market.market_id, source_published_at);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
