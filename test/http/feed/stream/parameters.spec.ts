import { expect } from 'chai';
import fc from 'fast-check';
import { streamQuery } from '../../../../src/adapters/http/feed/stream/stream-parameters.js';
import { positionToken } from '../../../../src/domain/feed/position.js';
import { streamToken } from '../../../../src/domain/feed/stream-position.js';
import { isRefusal } from '../../../../src/domain/refusal.js';
import { accepted, moment } from '../../../support/objects/builders.js';

const LOGGED = { n: 7, mark: '00112233445566ff' };
const LOG = positionToken(LOGGED);
const REACHED = moment('2026-01-31T12:00:00.000000Z');
const REPLAY = streamToken({ of: 'replay', began: LOGGED, seen: LOGGED, reached: REACHED });
const afterLog = { from: 'progress', progress: { of: 'log', position: LOGGED } };

const NONE = {
  start: { from: 'now' },
  filter: { newsId: null, marketIds: null, terms: [] },
  isResumed: false,
  limit: 100,
  waitMs: 0,
};

const read = (query: string, lastEventId = '', isBatch = false) =>
  accepted(streamQuery(query, lastEventId, isBatch));
const faultsOf = (query: string, lastEventId = '', isBatch = false) => {
  const asked = streamQuery(query, lastEventId, isBatch);
  return isRefusal(asked) ? asked.faults.map(({ parameter, code }) => [parameter, code]) : [];
};
const markets = (n: number) => Array.from({ length: n }, (_, i) => `market_id=s-${i}`).join('&');

describe('The query of a stream', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [query: string, asked: Partial<Record<keyof typeof NONE, unknown>>])[] = [
    ['',                                {}],
    [`after=${LOG}`,                    { start: afterLog, isResumed: true }],
    [`after=${REPLAY}`,                 { start: { from: 'progress', progress: { of: 'replay', began: LOGGED, seen: LOGGED, reached: REACHED } }, isResumed: true }],
    ['since=2026-01-31T13:00:00+01:00', { start: { from: 'time', since: REACHED } }],
    ['market_id=a&market_id=b%2Fc',     { filter: { newsId: null, marketIds: new Set(['a', 'b/c']), terms: [] } }],
    ['market_id=a&market_id=a',         { filter: { newsId: null, marketIds: new Set(['a']), terms: [] } }],
    ['category=a,b&q=Fed%20cuts',       { filter: { newsId: null, marketIds: null, terms: [['category:a', 'category:b'], ['word:fed'], ['word:cuts']] } }],
    ['source_tier=t1&market_id=m&relevance=high', { filter: { newsId: null, marketIds: new Set(['m']), terms: [['source_tier:t1'], ['relevance:high']] } }],
    ['limit=0&wait=&limit=9',           {}],
    ['cursor=&color=%',                 {}],
    ['news_id=a%2Fb',                   { filter: { newsId: 'a/b', marketIds: null, terms: [] } }],
    ['news_id=a&market_id=m&relevance=x', { filter: { newsId: 'a', marketIds: new Set(['m']), terms: [['relevance:x']] } }],
    ['api_key=a&api_key=b',             {}],
  ];
  for (const [query, asked] of cases) {
    it(`is read from “${query.slice(0, 50)}” (D48)`, () => {
      expect(read(query)).to.deep.equal({ ...NONE, ...asked });
    });
  }

  it('has up to 50 sub-markets (D48)', () => {
    expect(read(markets(50)).filter.marketIds?.size).to.equal(50);
    expect(faultsOf(markets(51))).to.deep.equal([['market_id', 'invalid_max_items']]);
  });

  it('of a batch has its limit, and its wait in milliseconds (D58)', () => {
    expect(read('limit=500&wait=30', '', true)).to.deep.equal({ ...NONE, limit: 500, waitMs: 30_000 });
    expect(read('', '', true)).to.deep.equal(NONE);
  });

  it('starts after Last-Event-ID, where that is not empty, and not as `after` or `since` say (D48)', () => {
    const asked = { ...NONE, start: afterLog, isResumed: true };
    for (const query of ['', `after=${REPLAY}`, 'after=x&since=y', 'after=&after=%']) {
      expect(read(query, LOG)).to.deep.equal(asked);
    }
    expect(read('since=2026-01-31').start).to.deep.include({ from: 'time' });
    for (const query of [`lastEventId=${REPLAY}`, 'lastEventId=x', 'lastEventId=']) {
      expect(read(query, LOG)).to.deep.equal(asked);
    }
  });

  it('starts after the parameter lastEventId where the header is missing or empty (D48)', () => {
    const asked = { ...NONE, start: afterLog, isResumed: true };
    for (const query of ['', `after=${REPLAY}&`, 'after=x&since=y&', 'after=&after=%&']) {
      expect(read(`${query}lastEventId=${LOG}`)).to.deep.equal(asked);
    }
    expect(read(`after=${LOG}&lastEventId=`)).to.deep.equal(asked);
    expect(faultsOf('lastEventId=x')).to.deep.equal([['lastEventId', 'invalid_position']]);
    expect(faultsOf(`lastEventId=${LOG}&lastEventId=${LOG}`)).to.deep.equal([['lastEventId', 'repeated']]);
    expect(faultsOf('lastEventId=%')).to.deep.equal([['lastEventId', 'invalid_encoding']]);
  });

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [query: string, parameter: string, code: string])[] = [
    ['after=',                             'after',     'empty'],
    ['after=x',                            'after',     'invalid_position'],
    [`after=${LOG}A`,                      'after',     'invalid_position'],
    [`after=${LOG.toLowerCase()}`,         'after',     'invalid_position'],
    [`after=${'A'.repeat(4_000)}`,         'after',     'invalid_position'],
    [`after=${LOG}&after=${LOG}`,          'after',     'repeated'],
    ['after=%',                            'after',     'invalid_encoding'],
    ['since=yesterday',                    'since',     'invalid_moment'],
    ['since=2026-02-31',                   'since',     'invalid_moment'],
    [`after=${LOG}&since=2026-01-31`,      'since',     'conflict'],
    ['news_id=',                           'news_id',   'empty'],
    ['news_id=a&news_id=a',                'news_id',   'repeated'],
    ['news_id=%00',                        'news_id',   'invalid_pattern'],
    ['market_id=',                         'market_id', 'empty'],
    ['market_id=a&market_id=%C3',          'market_id', 'invalid_encoding'],
    [`market_id=a&market_id=${'x'.repeat(257)}`, 'market_id', 'invalid_max_length'],
    ['category=a,',                        'category',  'invalid_codes'],
    ['category=a&category=b',              'category',  'repeated'],
    ['relevance=',                         'relevance', 'empty'],
    [`source_tier=${'a,'.repeat(10)}a`,    'source_tier', 'invalid_codes'],
    ['q=a+b+c+d+e',                        'q',         'invalid_words'],
    ['q=%C3',                              'q',         'invalid_encoding'],
    ['market_id=%00&market_id=%01',        'market_id', 'invalid_pattern'],
  ];
  for (const [query, parameter, code] of refused) {
    it(`is refused for “${query.slice(0, 40)}” as ${code} (D48)`, () => {
      expect(faultsOf(query)).to.deep.equal([[parameter, code]]);
    });
  }

  // biome-ignore format: a table is read by its columns
  const refusedBatches: readonly (readonly [query: string, parameter: string, code: string])[] = [
    ['limit=0',         'limit', 'out_of_range'],
    ['limit=501',       'limit', 'out_of_range'],
    ['limit=x',         'limit', 'invalid_type'],
    ['limit=1&limit=1', 'limit', 'repeated'],
    ['wait=31',         'wait',  'out_of_range'],
    ['wait=100',        'wait',  'out_of_range'],
    ['limit=-5',        'limit', 'out_of_range'],
    ['wait=005',        'wait',  'invalid_type'],
    ['wait=-0',         'wait',  'invalid_type'],
    ['wait=1.5',        'wait',  'invalid_type'],
    ['wait=-1',         'wait',  'out_of_range'],
    ['wait',            'wait',  'empty'],
  ];
  for (const [query, parameter, code] of refusedBatches) {
    it(`of a batch is refused for “${query}” as ${code} (D58)`, () => {
      expect(faultsOf(query, '', true)).to.deep.equal([[parameter, code]]);
    });
  }

  it('names all invalid parameters at once', () => {
    const faults = faultsOf('after=&since=x&market_id=&limit=0&wait=x&q=.&category=,', '', true);
    expect(faults.map(([parameter]) => parameter).sort()).to.deep.equal([
      ...['after', 'category', 'limit', 'market_id', 'q', 'since', 'wait'],
    ]);
  });

  it('is refused for a Last-Event-ID that is no position (D46)', () => {
    for (const id of ['x', `${LOG}, ${LOG}`, '0', LOG.slice(1)]) {
      expect(faultsOf('', id)).to.deep.equal([['Last-Event-ID', 'invalid_position']]);
    }
  });

  it('is a query or a refusal for any text', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[a-z_=&%0-9]{0,40}$/));
    fc.assert(
      fc.property(text, text, fc.boolean(), (query, lastEventId, isBatch) => {
        const asked = streamQuery(query, lastEventId, isBatch);
        if (isRefusal(asked)) expect(asked.faults).to.have.length.above(0);
        else expect(asked.start.from).to.be.oneOf(['now', 'time', 'progress']);
      }),
    );
  });
});
