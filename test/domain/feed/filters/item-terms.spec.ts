import { expect } from 'chai';
import {
  isFacet,
  passes,
  TERMS,
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
  author: 'Doe, Jane',
  source_tier: 't1',
  source_type: 'rss',
  feed_categories: ['economy', 'politics'],
  aggregate_event_relevance: { bucket: 'high' },
};
const MARKETS = [
  {
    main_market: {
      market_id: 'mk',
      market_title: 'Rates in 2028',
      market_url: 'https://polymarket.com/event/r',
    },
    market_relationship: { bucket: 'low', summary: 'hidden' },
    sub_markets: [
      {
        sub_market_id: 's1',
        sub_market_title: 'March?',
        market_url: 'https://www.polymarket.com/en/event/r/s1?tid=1&utm_source=x',
        outcomes: { yes: { token_id: 'y' }, no: { token_id: 'n' } },
        news_effect: { rationale: 'hidden', effect: 'weakens', affected_outcome: 'YES' },
        momentum: { passed: false },
      },
    ],
  },
];

describe('The terms of an item (D57)', () => {
  it('are its codes, its sub-markets and the words of its headlines, contexts and market titles', () => {
    expect([...of({ news_event: EVENT, related_markets: MARKETS }, 's1')].sort()).to.deep.equal([
      ...['author:doe', 'author:doe-jane', 'author:jane'],
      ...['category:economy', 'category:politics'],
      'effect:weakens',
      'market:s1',
      'momentum:failed',
      'outcome:YES',
      ...['ref:id:mk', 'ref:slug:r', 'ref:slug:s1', 'ref:token:n', 'ref:token:y'],
      ...['ref:url:polymarket.com/event/r', 'ref:url:polymarket.com/event/r/s1?tid=1'],
      'relevance:high',
      ...['source:unseen', 'source_tier:t1', 'source_type:rss'],
      'venue:polymarket.com',
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

  it('are not values of more than 600 characters, which no store could index; the names of a list are terms', () => {
    const author = Array.from({ length: 450 }, (_, i) => `Author ${i}`).join(', ');
    const news_event = { author, feed_categories: ['x'.repeat(601), 'short'] };
    const terms = termsOf({ json: Buffer.from(JSON.stringify({ news_event })), subMarketIds: [] });
    expect([...terms].filter((term) => term.length > 100)).to.deep.equal([]);
    expect(terms).to.include('author:author-449').and.to.include('category:short');
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

  it('are in packs for stores, which have together with the others all of them', () => {
    const json = Buffer.from(JSON.stringify({ news_event: EVENT, related_markets: MARKETS }));
    const item = { json, subMarketIds: ['s1'] };
    const { single, packs } = TERMS.listsOf(item);
    expect(new Set([...single, ...packs.flatMap((pack) => pack.terms)])).to.deep.equal(termsOf(item));
    expect(packs.map(({ terms, isFacet: are }) => [are, terms.length])).to.deep.equal([
      [true, 4],
      [true, 5],
      [false, 8],
    ]);
    expect(packs.every(({ terms, isFacet: are }) => terms.every((term) => isFacet(term) === are))).to.equal(
      true,
    );
  });

  it('have the version of the newest facet, and a filter needs that of its newest one', () => {
    expect(TERMS.version).to.equal(2);
    // biome-ignore format: a table is read by its columns
    const cases = [
      [[], 1],
      [[[termOf('word', 'author:x')]], 1],
      [[[termOf('category', 'a')], [termOf('market', 'm')]], 1],
      [[[termOf('category', 'a')], [termOf('venue', 'a.example')]], 2],
      [[[termOf('market', 'm'), termOf('ref', 'id:m')]], 2],
    ] as const;
    for (const [filter, version] of cases) expect(TERMS.versionFor(filter)).to.equal(version);
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
