import { expect } from 'chai';
import {
  isFacet,
  passes,
  type Term,
  termOf,
  termsOf,
} from '../../../../src/domain/feed/filters/item-terms.js';

const of = (item: object, ...subMarketIds: readonly string[]) =>
  termsOf({ json: Buffer.from(JSON.stringify(item)), subMarketIds });

const EVENT = {
  headline: 'Fed cuts',
  short_headline: 'Cuts!',
  short_context: 'Inflation fell',
  long_context: 'Prices rose less',
  source_name: 'Unseen',
  author: 'Nobody',
  source_tier: 't1',
  source_type: 'rss',
  feed_categories: ['economy', 'politics'],
  aggregate_event_relevance: { bucket: 'high' },
};
const MARKETS = [
  {
    main_market: { market_id: 'mk', market_title: 'Rates in 2028' },
    market_relationship: { bucket: 'low', summary: 'hidden' },
    sub_markets: [{ sub_market_id: 's1', sub_market_title: 'March?', news_effect: { rationale: 'hidden' } }],
  },
];

describe('The terms of an item (D57)', () => {
  it('are its codes, its sub-markets and the words of its headlines, contexts and market titles', () => {
    expect([...of({ news_event: EVENT, related_markets: MARKETS }, 's1')].sort()).to.deep.equal([
      'category:economy',
      'category:politics',
      'market:s1',
      'relevance:high',
      'source_tier:t1',
      ...['2028', 'cuts', 'fed', 'fell', 'in', 'inflation', 'less', 'march', 'prices', 'rates', 'rose'].map(
        (word) => `word:${word}`,
      ),
    ]);
  });

  it('are read from an item that another version stored, whatever it lacks', () => {
    expect([...of({})]).to.deep.equal([]);
    expect([...of({ news_event: { headline: 'a' }, related_markets: [{}] }, 'm')]).to.deep.equal([
      'market:m',
      'word:a',
    ]);
  });

  it('have at most 10,000 words', () => {
    const headline = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ');
    expect(of({ news_event: { headline } }).size).to.equal(10_000);
  });

  it('pass a filter that names one of each list', () => {
    const terms = of({ news_event: EVENT });
    const [economy, sports, fed, none] = [
      termOf('category', 'economy'),
      termOf('category', 'sports'),
      termOf('word', 'fed'),
      termOf('word', 'none'),
    ];
    // biome-ignore format: a table is read by its columns
    const cases: readonly (readonly [filter: readonly (readonly Term[])[], passes: boolean])[] = [
      [[],                              true],
      [[[economy]],                     true],
      [[[sports]],                      false],
      [[[sports, economy]],             true],
      [[[sports, economy], [fed]],      true],
      [[[economy], [none]],             false],
      [[[fed], [none, economy]],        true],
      [[[termOf('category', 'fed')]],   false],
      [[[termOf('category', 'Economy')]], false],
    ];
    for (const [filter, expected] of cases)
      expect(passes(filter, terms), JSON.stringify(filter)).to.equal(expected);
  });

  it('are facets or not', () => {
    expect(
      [termOf('category', 'word'), termOf('relevance', 'x'), termOf('source_tier', '')].map(isFacet),
    ).to.deep.equal([true, true, true]);
    expect([termOf('word', 'category'), termOf('market', 'relevance:x')].map(isFacet)).to.deep.equal([
      false,
      false,
    ]);
  });
});
