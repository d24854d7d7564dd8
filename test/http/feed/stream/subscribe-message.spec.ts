import { expect } from 'chai';
import fc from 'fast-check';
import { streamQuery } from '../../../../src/adapters/http/feed/stream/stream-parameters.js';
import { readSubscribe } from '../../../../src/adapters/http/feed/stream/subscribe-message.js';
import { isRefusal } from '../../../../src/domain/refusal.js';
import { accepted } from '../../../support/objects/builders.js';
import { isValidSubscribe } from '../../../support/objects/parameter-schemas.js';

const faultsOf = (text: string) => {
  const read = readSubscribe(text);
  return isRefusal(read) && read.refused === 'invalid_parameter' ? read.faults : [];
};
const namesAndCodes = (text: string) => faultsOf(text).map(({ parameter, code }) => `${parameter} ${code}`);

describe('A subscribe message', () => {
  const read = (message: object) => accepted(readSubscribe(JSON.stringify(message)));
  const filter = (message: object) => read(message).marketIds;

  it('has one sub-market or a list of up to 50; none means everything (D55)', () => {
    expect(filter({ type: 'subscribe' })).to.equal(null);
    expect(filter({ type: 'subscribe', market_id: 'a' })).to.deep.equal(new Set(['a']));
    expect(filter({ market_id: ['a', 'b', 'a'], type: 'subscribe' })).to.deep.equal(new Set(['a', 'b']));
    const fifty = Array.from({ length: 50 }, (_, i) => `s-${i}`);
    expect(filter({ type: 'subscribe', market_id: fifty })?.size).to.equal(50);
  });

  it('has one news event, or none (D55)', () => {
    const newsId = (message: object) => read({ type: 'subscribe', ...message }).newsId;
    expect([newsId({}), newsId({ news_id: 'a' }), newsId({ news_id: 'b', market_id: ['m'] })]).to.deep.equal([
      ...[null, 'a', 'b'],
    ]);
  });

  it('has the filters by terms as in the query, as text or as a list (D55, D57)', () => {
    const terms = (filters: object) => read({ type: 'subscribe', ...filters }).terms;
    expect(terms({})).to.deep.equal([]);
    const both = [['category:a', 'category:b'], ['word:fed'], ['word:cuts']];
    expect(terms({ category: 'a,b', q: 'Fed cuts' })).to.deep.equal(both);
    expect(terms({ category: ['a', 'b'], q: ['Fed', 'CUTS fed'] })).to.deep.equal(both);
    expect(terms({ source_tier: 't1', relevance: ['high'] })).to.deep.equal([
      ['source_tier:t1'],
      ['relevance:high'],
    ]);
  });

  for (const text of ['', 'subscribe', '{', 'null', '1', '"subscribe"', '[]', '{}', '['.repeat(16_000)]) {
    it(`is not ${text.slice(0, 60)} (D55)`, () => {
      expect(namesAndCodes(text)).to.deep.equal(['type not_allowed']);
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [members: string, fault: string])[] = [
    ['"q":""',                                'q empty'],
    ['"q":"a b c d e"',                       'q invalid_words'],
    ['"q":["a b","c d","e"]',                 'q invalid_words'],
    ['"q":["."]',                             'q invalid_words'],
    ['"q":[]',                                'q empty'],
    ['"q":7',                                 'q invalid_type'],
    ['"category":"a,"',                       'category invalid_codes'],
    ['"category":["a,b"]',                    'category invalid_codes'],
    [`"category":[${'"a",'.repeat(10)}"a"]`,  'category invalid_codes'],
    ['"relevance":[]',                        'relevance empty'],
    ['"source_tier":[""]',                    'source_tier invalid_codes'],
    ['"market_id":null',                      'market_id invalid_type'],
    ['"market_id":""',                        'market_id empty'],
    ['"market_id":[]',                        'market_id empty'],
    ['"market_id":[""]',                      'market_id invalid_min_length'],
    ['"market_id":[1]',                       'market_id invalid_type'],
    ['"market_id":{}',                        'market_id invalid_type'],
    ['"market_id":["a","\\u0000"]',           'market_id invalid_pattern'],
    [`"market_id":[${'"a",'.repeat(50)}"a"]`, 'market_id invalid_max_items'],
    ['"news_id":""',                          'news_id empty'],
    ['"news_id":["a"]',                     'news_id invalid_type'],
    ['"news_id":7',                           'news_id invalid_type'],
    ['"news_id":"\\u0000"',                  'news_id invalid_pattern'],
    ['"marketId":"a"',                        'marketId unknown_field'],
    ['"__proto__":"a"',                       '__proto__ unknown_field'],
    [`"svc_${'A'.repeat(43)}":1`,             'svc_AAAAAAAA… unknown_field'],
  ];
  for (const [members, fault] of refused) {
    it(`is refused for ${members.slice(0, 40)} as ${fault} (D55)`, () => {
      expect(namesAndCodes(`{"type":"subscribe",${members}}`)).to.deep.equal([fault]);
    });
  }

  it('is refused with all its faults at once, and with the messages of a query', () => {
    const faults = faultsOf('{"type":"subscribe","q":".","category":",","market_id":7,"more":1}');
    expect(faults.map(({ parameter }) => parameter)).to.have.members(['q', 'category', 'market_id', 'more']);
    const query = streamQuery('q=.&category=,', '', false);
    const inQuery = isRefusal(query) && query.refused === 'invalid_parameter' ? query.faults : [];
    expect(inQuery).to.have.length(2);
    expect(faults).to.deep.include.members([...inQuery]);
    expect(faultsOf(JSON.stringify({ type: 'subscribe', ...Array(100).fill(1) }))).to.have.length(20);
  });

  const word = fc.constantFrom('fed', 'Fed', 'rates', 'a b', '.', '', 'x', 'y z');

  it('has in a list the same words as in a text, however many elements the list has (D57)', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 15 }), (list) => {
        const [asList, asText] = [list, list.join(' ') || '.'].map((q) => ({ type: 'subscribe', q }));
        expect(readSubscribe(JSON.stringify(asList))).to.deep.equal(readSubscribe(JSON.stringify(asText)));
      }),
    );
    const long = { type: 'subscribe', q: Array(12).fill('fed') };
    expect([faultsOf(JSON.stringify(long)), isValidSubscribe(long)]).to.deep.equal([[], true]);
  });

  it('is valid by the published schema if it is read', () => {
    const value = fc.oneof(word, fc.array(word, { maxLength: 12 }), fc.string(), fc.constant(null));
    const message = fc.record(
      {
        type: fc.constant('subscribe'),
        news_id: value,
        market_id: value,
        category: value,
        q: value,
        more: value,
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(message, (sent) => {
        if (faultsOf(JSON.stringify(sent)).length === 0) expect(isValidSubscribe(sent)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });
});
