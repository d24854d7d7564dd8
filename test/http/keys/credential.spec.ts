import { expect } from 'chai';
import { credentialOf } from '../../../src/adapters/http/keys/credential.js';
import { readHeaders } from '../../../src/adapters/http/read-headers.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';

const format = keyFormat('svc_');
type Sent = { readonly headers?: readonly (readonly [string, string])[]; readonly query?: string };

const chosen = ({ headers = [], query = '' }: Sent, queryKeyAllowed = true) =>
  credentialOf(readHeaders(headers.flat()), query, format, queryKeyAllowed);

const api = (value: string) => ['X-API-Key', value] as const;
const auth = (value: string) => ['Authorization', value] as const;

describe('The key that a request sends', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, sent: Sent, key: string | null])[] = [
    ['none at all',                               {},                                                          null],
    ['X-API-Key',                                 { headers: [api('svc_a')] },                                 'svc_a'],
    ['X-API-Key of any form, alone',              { headers: [api('other')] },                                 'other'],
    ['Authorization: Bearer',                     { headers: [auth('Bearer svc_a')] },                         'svc_a'],
    ['bearer in lower case',                      { headers: [auth('bearer svc_a')] },                         'svc_a'],
    ['BEARER in upper case, with blanks',         { headers: [auth('BEARER   svc_a')] },                       'svc_a'],
    ['Bearer without a token',                    { headers: [auth('Bearer')] },                               null],
    ['Bearer and a blank',                        { headers: [auth('Bearer ')] },                              null],
    ['Bearer without a blank before its token',   { headers: [auth('Bearersvc_a')] },                          null],
    ['Basic',                                     { headers: [auth('Basic c3ZjX2E6')] },                       null],
    ['a key with no scheme',                      { headers: [auth('svc_a')] },                                null],
    ['api_key',                                   { query: 'api_key=svc_a' },                                  'svc_a'],
    ['api_key, its name encoded',                 { query: 'api%5Fkey=svc_a' },                                'svc_a'],
    ['api_key, its value encoded',                { query: 'api_key=svc%5Fa' },                                'svc_a'],
    ['API_KEY',                                   { query: 'API_KEY=svc_a' },                                  null],
    ['an empty api_key',                          { query: 'api_key=' },                                       null],
    ['an api_key that cannot be decoded',         { query: 'api_key=%' },                                      '%'],

    ['both headers, X-API-Key like a key',        { headers: [auth('Bearer svc_b'), api('svc_a')] },           'svc_a'],
    ['both headers, X-API-Key unlike a key',      { headers: [auth('Bearer svc_b'), api('other')] },           'svc_b'],
    ['both headers, neither like a key',          { headers: [auth('Bearer b'), api('a')] },                   'b'],
    ['X-API-Key beside Basic',                    { headers: [auth('Basic x'), api('other')] },                'other'],
    ['X-API-Key with only the prefix',            { headers: [auth('Bearer svc_b'), api('svc_')] },            'svc_'],
    ['X-API-Key with the prefix in upper case',   { headers: [auth('Bearer svc_b'), api('SVC_a')] },           'svc_b'],
    ['an empty X-API-Key',                        { headers: [auth('Bearer svc_b'), api('')] },                'svc_b'],
    ['an empty X-API-Key and api_key',            { headers: [api('')], query: 'api_key=svc_c' },              'svc_c'],
    ['a header unlike a key, and api_key',        { headers: [api('other')], query: 'api_key=svc_c' },         'other'],
    ['Bearer and api_key',                        { headers: [auth('Bearer b')], query: 'api_key=svc_c' },     'b'],
    ['Basic and api_key',                         { headers: [auth('Basic b')], query: 'api_key=svc_c' },      'svc_c'],

    ['the same X-API-Key twice',                  { headers: [api('svc_a'), api('svc_a')] },                   'svc_a'],
    ['X-API-Key twice, once empty',               { headers: [api(''), api('svc_a')] },                        'svc_a'],
    ['the same Bearer twice',                     { headers: [auth('Bearer svc_a'), auth('bearer svc_a')] },   'svc_a'],
    ['Bearer beside Basic',                       { headers: [auth('Basic x'), auth('Bearer svc_a')] },        'svc_a'],
    ['the same api_key twice',                    { query: 'api_key=svc_a&api_key=svc%5fa' },                  'svc_a'],
    ['api_key twice, once empty',                 { query: 'api_key=&api_key=svc_a' },                         'svc_a'],
    ['two values in a carrier that is not chosen', { headers: [api('svc_a')], query: 'api_key=b&api_key=c' },  'svc_a'],
  ];
  for (const [title, sent, key] of cases) {
    it(`is ${key ?? 'none'}: ${title} (contract section 5.1, D16)`, () => {
      expect(chosen(sent)).to.equal(key);
    });
  }

  const contradictions: readonly (readonly [string, Sent])[] = [
    ['two X-API-Key', { headers: [api('svc_a'), api('svc_b')] }],
    ['two X-API-Key, one like a key', { headers: [api('other'), api('svc_b')] }],
    ['two Bearer', { headers: [auth('Bearer svc_a'), auth('Bearer svc_b')] }],
    ['two api_key', { query: 'api_key=svc_a&api_key=svc_b' }],
    ['two api_key, one that cannot be decoded', { query: 'api_key=svc_a&api_key=%' }],
    ['two X-API-Key beside a valid Bearer', { headers: [api('svc_a'), api('svc_b'), auth('Bearer svc_a')] }],
  ];
  for (const [title, sent] of contradictions) {
    it(`is a value that cannot exist: ${title} (D16, T4)`, () => {
      const key = chosen(sent);
      expect(key).to.be.a('string');
      expect(format.recognise(key ?? '')).to.equal(undefined);
    });
  }

  it('is never taken from the query if that is switched off (D19)', () => {
    expect(chosen({ query: 'api_key=svc_a' }, false)).to.equal(null);
    expect(chosen({ query: 'api_key=svc_a', headers: [api('svc_b')] }, false)).to.equal('svc_b');
  });
});
