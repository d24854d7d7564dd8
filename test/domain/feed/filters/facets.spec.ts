import { expect } from 'chai';
import { FACETS, type Facet } from '../../../../src/domain/feed/filters/facets.js';
import { marketReferencesOf } from '../../../../src/domain/feed/markets/market-references.js';
import type { StoredItem } from '../../../../src/domain/feed/stored-item.js';

const sub = (effect: string, outcome: string, passed: boolean, host: string) => ({
  sub_market_id: `${effect}-${host}`,
  market_url: `https://${host}/a`,
  news_effect: { effect, affected_outcome: outcome },
  momentum: { passed },
});
const ITEM: StoredItem = {
  news_event: {
    author: 'Doe, Jane',
    source_name: 'El Faro Económico',
    source_type: 'rss',
    source_tier: 't1',
    feed_categories: ['a', 'b'],
    aggregate_event_relevance: { bucket: 'high' },
  },
  related_markets: [
    {
      main_market: { market_id: 'm', market_url: 'https://www.Kalshi.com/markets/x' },
      sub_markets: [sub('supports', 'YES', true, 'a.example'), sub('mixed', 'NO', false, 'b.example:81')],
    },
  ],
};

describe('The facets of an item (D57)', () => {
  // biome-ignore format: a table is read by its columns
  const cases: Readonly<Record<Facet, readonly [values: readonly string[], sent: string, folded: string]>> = {
    author:      [['doe-jane', 'doe', 'jane'],               'L. O’Brien',         'l-o-brien'],
    source:      [['el-faro-economico'],                     'EL FARO economico',  'el-faro-economico'],
    category:    [['a', 'b'],                                'A b',                'A b'],
    venue:       [['kalshi.com', 'a.example', 'b.example:81'], 'www.Kalshi.com',   'kalshi.com'],
    source_type: [['rss'],                                   'RSS',                'RSS'],
    source_tier: [['t1'],                                    'T1',                 'T1'],
    relevance:   [['high'],                                  'High',               'High'],
    effect:      [['supports', 'mixed'],                     'Supports',           'Supports'],
    outcome:     [['YES', 'NO'],                             'yes',                'yes'],
    momentum:    [['passed', 'failed'],                      'Passed',             'Passed'],
  };
  for (const [name, [values, sent, folded]] of Object.entries(cases) as [Facet, (typeof cases)[Facet]][]) {
    it(`has as ${name} ${values.join(' and ')}, and compares “${sent}” as ${folded}`, () => {
      const { valuesOf, fold } = FACETS[name];
      expect(valuesOf(ITEM, marketReferencesOf(ITEM))).to.deep.equal(values);
      expect(fold(sent)).to.equal(folded);
    });

    it(`has no ${name} of an item that lacks everything`, () => {
      expect(FACETS[name].valuesOf({}, []).filter(Boolean)).to.deep.equal([]);
    });
  }
});
