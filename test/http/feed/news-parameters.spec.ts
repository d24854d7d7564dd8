import { expect } from 'chai';
import { NewsQueries, newsQuery } from '../../../src/adapters/http/feed/news-parameters.js';
import { parameters } from '../../../src/adapters/http/parameters.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { accepted } from '../../support/objects/builders.js';

const NONE = { limit: 50, cursor: null, since: null, newsId: null, marketId: null, terms: [], asOf: null };

const faultsOf = (query: string) => {
  const read = newsQuery(parameters(query));
  return isRefusal(read) ? read.faults : [];
};

describe('The query of a feed page', () => {
  const at = '2026-01-31T12:00:00.000000Z';
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [query: string, asked: Partial<typeof NONE> | Record<string, unknown>])[] = [
    ['',                                        {}],
    ['limit=1',                                 { limit: 1 }],
    ['limit=500',                               { limit: 500 }],
    ['limit=007',                               { limit: 7 }],
    ['cursor=2026-01-31T12:00:00Z',             { cursor: at }],
    ['cursor=2026-01-31T13:00:00%2B01:00',      { cursor: at }],
    ['cursor=2026-01-31T13:00:00+01:00',        { cursor: at }],
    ['cursor=2026-01-31t11:00:00-01:00',        { cursor: at }],
    ['since=2026-01-31T12:00:00',               { since: at }],
    ['since=2026-01-31',                        { since: '2026-01-31T00:00:00.000000Z' }],
    ['since=2026-01-31T12:00:00.0000001Z',      { since: '2026-01-31T12:00:00.000001Z' }],
    ['since=2016-12-31T23:59:60Z',              { since: '2017-01-01T00:00:00.000000Z' }],
    ['news_id=ne_1&market_id=s%2F1',            { newsId: 'ne_1', marketId: 's/1' }],
    [`news_id=${'x'.repeat(256)}`,              { newsId: 'x'.repeat(256) }],
    ['news_id=%20',                             { newsId: ' ' }],
    ['api_key=a&api_key=b&api_key=&limit=2',    { limit: 2 }],
    ['category=a,b,a&relevance=High',           { terms: [['category:a', 'category:b'], ['relevance:High']] }],
    ['source_tier=t1&category=%20',             { terms: [['category: '], ['source_tier:t1']] }],
    ['q=Fed+rates%2C+fed',                      { terms: [['word:fed'], ['word:rates']] }],
    ['Q=a&tier=t1&word=x',                      {}],
    ['color=red&color=&%=1&constructor=%&LIMIT=0', {}],
    ['__proto__=1&toString=2',                  {}],
  ];
  for (const [query, asked] of cases) {
    it(`is read from “${query.slice(0, 50)}” (contract section 4, D4, D13)`, () => {
      expect(accepted(newsQuery(parameters(query)))).to.deep.equal({ ...NONE, ...asked });
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [query: string, parameter: string, code: string])[] = [
    ['limit=0',                             'limit',     'out_of_range'],
    ['limit=501',                           'limit',     'out_of_range'],
    ['limit=999',                           'limit',     'out_of_range'],
    ['limit=1000',                          'limit',     'out_of_range'],
    ['limit=-1',                            'limit',     'out_of_range'],
    [`limit=${'9'.repeat(400)}`,            'limit',     'out_of_range'],
    ['limit=0005',                          'limit',     'invalid_type'],
    ['limit=%2B5',                          'limit',     'invalid_type'],
    ['limit=5.0',                           'limit',     'invalid_type'],
    ['limit=1e2',                           'limit',     'invalid_type'],
    ['limit=0x10',                          'limit',     'invalid_type'],
    ['limit=+5',                            'limit',     'invalid_type'],
    ['limit=5%0A',                          'limit',     'invalid_type'],
    ['limit=%D9%A5',                        'limit',     'invalid_type'],
    ['limit=',                              'limit',     'empty'],
    ['limit',                               'limit',     'empty'],
    ['limit=5&limit=5',                     'limit',     'repeated'],
    ['limit=5&li%6Dit=',                    'limit',     'repeated'],
    ['limit=%',                             'limit',     'invalid_encoding'],
    ['cursor=',                             'cursor',    'empty'],
    ['since=',                              'since',     'empty'],
    ['since',                               'since',     'empty'],
    ['cursor=2026-02-31T00:00:00Z',         'cursor',    'invalid_moment'],
    ['cursor=2026-01-31T24:00:00Z',         'cursor',    'invalid_moment'],
    ['cursor=1767225600',                   'cursor',    'invalid_moment'],
    ['cursor=2026-W05-1',                   'cursor',    'invalid_moment'],
    ['cursor=null',                         'cursor',    'invalid_moment'],
    ['since=0001-01-01T00:00:00%2B01:00',   'since',     'invalid_moment'],
    ['since=2026-01-31T12:00:60Z',          'since',     'invalid_moment'],
    ['since=2026-01-31&since=2026-01-31',   'since',     'repeated'],
    ['since=%FF',                           'since',     'invalid_encoding'],
    ['news_id=',                            'news_id',   'empty'],
    ['news_id=a&news_id=a',                 'news_id',   'repeated'],
    [`news_id=${'x'.repeat(257)}`,          'news_id',   'invalid_max_length'],
    ['category=',                           'category',  'empty'],
    ['category=a,,b',                       'category',  'invalid_codes'],
    ['source_tier=,',                       'source_tier', 'invalid_codes'],
    [`relevance=${'a,'.repeat(10)}a`,       'relevance', 'invalid_codes'],
    ['category=a&category=b',               'category',  'repeated'],
    ['relevance=%FF',                       'relevance', 'invalid_encoding'],
    ['q=',                                  'q',         'empty'],
    ['q=%20-%20',                           'q',         'invalid_words'],
    ['q=a+b+c+d+e',                         'q',         'invalid_words'],
    ['q=a&q=a',                             'q',         'repeated'],
    ['market_id=%C3',                       'market_id', 'invalid_encoding'],
  ];
  for (const [query, parameter, code] of refused) {
    it(`is refused for “${query.slice(0, 40)}” as ${code} (D13, D14)`, () => {
      const faults = faultsOf(query);
      expect(faults.map((fault) => [fault.parameter, fault.code])).to.deep.equal([[parameter, code]]);
      expect(faults[0]?.message).to.match(/^(is|must) /);
    });
  }

  it('is refused with the range of `limit`, and with its form if only that is wrong (D13)', () => {
    const messages = ['-5', '501', '%2B5', '5.0'].map((limit) => faultsOf(`limit=${limit}`)[0]?.message);
    const form = 'must be from 1 to 500, as at most 3 digits without a sign';
    expect(messages).to.deep.equal(['must be from 1 to 500', 'must be from 1 to 500', form, form]);
  });

  it('is refused with all its invalid parameters at once (D13)', () => {
    const faults = faultsOf(
      'limit=0&cursor=yesterday&since=&news_id=a&news_id=b&market_id=%&color=&q=.&category=,',
    );
    expect(faults.map(({ parameter, code }) => `${parameter} ${code}`)).to.have.members([
      'limit out_of_range',
      'cursor invalid_moment',
      'since empty',
      'news_id repeated',
      'market_id invalid_encoding',
      'q invalid_words',
      'category invalid_codes',
    ]);
  });

  it('is refused without repeating its values (D19)', () => {
    const faults = faultsOf('limit=secret1&cursor=secret2&since=secret3&news_id=secret4&news_id=');
    expect(faults).to.have.length(4);
    expect(JSON.stringify(faults)).not.to.include('secret');
  });
});

describe('The queries of feed pages', () => {
  const queries = new NewsQueries(keyFormat('svc_'));

  it('are read once with the parameters that they ignore, each for itself (D13)', () => {
    const read = queries.read('limit=2&color=red');
    expect(read.ignored).to.deep.equal(['color']);
    expect(queries.read('limit=2&color=red')).to.equal(read);
    expect(queries.read('limit=2').ignored).to.deep.equal([]);
    expect(queries.read('limit=2&zone=').ignored).to.deep.equal(['zone']);
    expect(queries.read('limit=0&color=red').ignored).to.deep.equal(['color']);
  });

  it('are not kept with a key (D19)', () => {
    const query = `color=red&api_key=svc_${'A'.repeat(43)}`;
    const read = queries.read(query);
    expect(read.ignored).to.deep.equal(['color']);
    expect(queries.read(query)).to.not.equal(read);
  });
});
