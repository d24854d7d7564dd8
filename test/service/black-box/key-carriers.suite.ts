import { expect } from 'chai';
import { actOn, aKey, problem, type ServiceUnderTest } from '../../support/service/api-calls.js';
import type { Asked } from '../../support/service/client.js';

const STRANGE = `svc_${'A'.repeat(43)}`;

type Headers = NonNullable<Asked['headers']>;
type Row = readonly [
  what: string,
  headers: (key: string) => Headers,
  query: (key: string) => string,
  answer: string,
];

/** Contract sections 5.1 and 5.5, D16 to D19: which carrier's key counts, and which responses may be cached. */
export function keyCarriersSuite({ client }: ServiceUnderTest): void {
  describe('a request', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const ask = async (headers: Headers, query = '') => {
      const reply = await client().ask(`/pm/v2/news${query}`, { headers });
      return reply.status === 200 ? '200' : `${reply.status} ${problem(reply).code}`;
    };

    // biome-ignore format: a table is read by its columns
    const rows: readonly Row[] = [
      ['with a key in Bearer',                                   (k) => ({ Authorization: `Bearer ${k}` }),                        () => '',                                  '200'],
      ['with a key in bearer in lower case',                     (k) => ({ Authorization: `bearer  ${k}` }),                       () => '',                                  '200'],
      ['with a key in BEARER',                                   (k) => ({ Authorization: `BEARER ${k}` }),                        () => '',                                  '200'],
      ['with a key in X-API-Key',                                (k) => ({ 'X-API-Key': k }),                                      () => '',                                  '200'],
      ['with a key in api_key',                                  () => ({}),                                                       (k) => `?api_key=${k}`,                    '200'],
      ['without a key',                                          () => ({}),                                                       () => '',                                  '401 key_missing'],
      ['with empty carriers',                                    () => ({ 'X-API-Key': '', Authorization: 'Bearer ' }),            () => '?api_key=',                         '401 key_missing'],
      ['with a key in Basic',                                    (k) => ({ Authorization: `Basic ${k}` }),                         () => '',                                  '401 key_missing'],
      ['with a key in Authorization without a scheme',           (k) => ({ Authorization: k }),                                    () => '',                                  '401 key_missing'],
      ['with a key in API_KEY',                                  () => ({}),                                                       (k) => `?API_KEY=${k}`,                    '401 key_missing'],

      ['with a key in api_key beside Basic',                     () => ({ Authorization: 'Basic x' }),                             (k) => `?api_key=${k}`,                    '200'],
      ['with a key in Bearer beside Basic',                      (k) => ({ Authorization: ['Basic eDp5', `Bearer ${k}`] }),        () => '',                                  '200'],
      ['with a key in Bearer beside an empty X-API-Key',         (k) => ({ 'X-API-Key': '', Authorization: `Bearer ${k}` }),       () => '',                                  '200'],
      ['with a key in Bearer beside an X-API-Key unlike a key',  (k) => ({ 'X-API-Key': 'other', Authorization: `Bearer ${k}` }),  () => '',                                  '200'],
      ['with a key in Bearer beside another in X-API-Key',       (k) => ({ 'X-API-Key': STRANGE, Authorization: `Bearer ${k}` }),  () => '',                                  '401 key_unknown'],
      ['with a key in X-API-Key beside another in Bearer',       (k) => ({ 'X-API-Key': k, Authorization: `Bearer ${STRANGE}` }),  () => '',                                  '200'],
      ['with a key in X-API-Key beside another in api_key',      (k) => ({ 'X-API-Key': k }),                                      () => `?api_key=${STRANGE}`,               '200'],
      ['with a key in api_key beside an X-API-Key unlike a key', () => ({ 'X-API-Key': 'other' }),                                 (k) => `?api_key=${k}`,                    '401 key_unknown'],
      ['with a key in api_key beside another in Bearer',         () => ({ Authorization: `Bearer ${STRANGE}` }),                   (k) => `?api_key=${k}`,                    '401 key_unknown'],
      ['with a key in api_key beside nonsense in Bearer',        () => ({ Authorization: 'Bearer nonsense' }),                     (k) => `?api_key=${k}`,                    '401 key_unknown'],

      ['with two keys in X-API-Key',                             (k) => ({ 'X-API-Key': [k, STRANGE] }),                           () => '',                                  '401 key_unknown'],
      ['with one key twice in X-API-Key',                        (k) => ({ 'X-API-Key': [k, k] }),                                 () => '',                                  '200'],
      ['with two keys in api_key',                               () => ({}),                                                       (k) => `?api_key=${k}&api_key=${STRANGE}`, '401 key_unknown'],
      ['with one key twice in api_key',                          () => ({}),                                                       (k) => `?api_key=${k}&api_key=${k}`,       '200'],
      ['with api_key twice, once empty',                         () => ({}),                                                       (k) => `?api_key=&api_key=${k}`,           '200'],
      ['with two keys in Bearer',                                (k) => ({ Authorization: [`Bearer ${k}`, `Bearer ${STRANGE}`] }), () => '',                                  '401 key_unknown'],
      ['with two keys in Bearer, the good one last',             (k) => ({ Authorization: [`Bearer ${STRANGE}`, `Bearer ${k}`] }), () => '',                                  '401 key_unknown'],
      ['with one key twice in Bearer',                           (k) => ({ Authorization: [`Bearer ${k}`, `bearer ${k}`] }),       () => '',                                  '200'],

      ['with a key in quotes',                                   (k) => ({ 'X-API-Key': `"${k}"` }),                               () => '',                                  '401 key_unknown'],
      ['with a key of one character less',                       (k) => ({ 'X-API-Key': k.slice(0, -1) }),                         () => '',                                  '401 key_unknown'],
      ['with a key of one character more',                       (k) => ({ 'X-API-Key': `${k}A` }),                                () => '',                                  '401 key_unknown'],
      ['with a last character that 32 bytes cannot have',        (k) => ({ 'X-API-Key': `${k.slice(0, -1)}B` }),                   () => '',                                  '401 key_unknown'],
      ['with the prefix of its key in upper case',               (k) => ({ 'X-API-Key': k.replace('svc_', 'SVC_') }),              () => '',                                  '401 key_unknown'],
      ['with a key without its prefix',                          (k) => ({ 'X-API-Key': k.slice(4) }),                             () => '',                                  '401 key_unknown'],
      ['with a bad limit and a bad key',                         () => ({ 'X-API-Key': STRANGE }),                                 () => '?limit=0',                          '401 key_unknown'],
    ];
    for (const [what, headers, query, answer] of rows) {
      it(`${what} is answered ${answer} (D16, D17, D18)`, async () => {
        expect(await ask(headers(key), query(key))).to.equal(answer);
      });
    }

    // biome-ignore format: a table is read by its columns
    const severalKeys: readonly (readonly [carriers: string, headers: (key: string) => Headers, query: (key: string) => string])[] = [
      ['`api_key`',                     () => ({}),                                                       (k) => `?api_key=${k}&api_key=${STRANGE}`],
      ['`Authorization`',               (k) => ({ Authorization: [`Bearer ${k}`, `Bearer ${STRANGE}`] }), () => ''],
      ['`X-API-Key` and `api_key`',     () => ({ 'X-API-Key': STRANGE }),                                 (k) => `?api_key=${k}`],
      ['`X-API-Key` and `Authorization`', (k) => ({ 'X-API-Key': STRANGE, Authorization: `Bearer ${k}` }), () => ''],
    ];
    for (const [carriers, headers, query] of severalKeys) {
      it(`with different keys in ${carriers} is told so, on each call that needs a key (D16)`, async () => {
        for (const path of ['/pm/v2/news', '/pm/v2/usage', '/pm/v2/stream']) {
          const reply = await client().ask(`${path}${query(key)}`, { headers: headers(key) });
          expect(problem(reply).code, path).to.equal('key_unknown');
          const start = `The request sends different keys in ${carriers}. `;
          expect(problem(reply).detail.slice(0, start.length), path).to.equal(start);
          expect(reply.text).to.include('Send one key, in one place.').and.not.include('svc_');
        }
      });
    }

    it('with one key in each place is told that it does not exist', async () => {
      const headers = { 'X-API-Key': STRANGE, Authorization: `Bearer ${STRANGE}` };
      const reply = await client().ask(`/pm/v2/news?api_key=${STRANGE}`, { headers });
      expect(problem(reply).detail).to.match(/^The key does not exist\. /);
    });

    it('that is refused gets `WWW-Authenticate` (D37)', async () => {
      const missing = await client().ask('/pm/v2/news');
      expect(missing.headers['www-authenticate']).to.equal('Bearer realm="oddswire"');
      const unknown = await client().news(STRANGE);
      expect(unknown.headers['www-authenticate']).to.equal('Bearer realm="oddswire", error="invalid_token"');
    });

    it('with a key on hold and a bad limit is 402: the key is checked first (D18)', async () => {
      const held = await aKey(client());
      await actOn(client(), held.key_id, 'hold', { reason: 'ticket' });
      expect(await ask({ 'X-API-Key': held.key }, '?limit=0&cursor=x')).to.equal('402 key_suspended');
    });

    it('with a key in the query gets a page that no cache may store (D19)', async () => {
      const { headers } = await client().ask(`/pm/v2/news?api_key=${key}`);
      expect(headers['cache-control']).to.equal('private, no-store');
      expect(headers['referrer-policy']).to.equal('no-referrer');
    });

    it('with a key in the query gets no response that a cache may store, also on errors (D19)', async () => {
      for (const query of [`?api_key=${key}`, `?api_key=${STRANGE}`, `?api_key=${key}&limit=0`]) {
        const { headers } = await client().ask(`/pm/v2/news${query}`);
        expect(headers['cache-control']).to.include('no-store');
        expect(headers['referrer-policy']).to.equal('no-referrer');
      }
    });

    it('with a key in a header gets a page that a private cache may store (D36)', async () => {
      const { headers } = await client().news(key);
      expect(headers['cache-control']).to.equal('private, no-cache');
      expect(headers['vary']).to.equal('Authorization, X-API-Key, Accept-Encoding');
      expect(headers['referrer-policy']).to.equal(undefined);
    });
  });
}
