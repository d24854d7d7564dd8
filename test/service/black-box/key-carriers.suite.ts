import { expect } from 'chai';
import type { Asked } from '../../support/service/client.js';
import { act, aKey, problem, type Target } from '../../support/service/target.js';

const STRANGE = `svc_${'A'.repeat(43)}`;

/** D16 to D19: the carriers that stand in each other's way. */
export function moreCarriersSuite({ client }: Target): void {
  describe('a key', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const ask = async (headers: NonNullable<Asked['headers']>, query = '') => {
      const reply = await client().ask(`/pm/v2/news${query}`, { headers });
      return reply.status === 200 ? '200' : `${reply.status} ${problem(reply).code}`;
    };

    type Row = readonly [
      what: string,
      headers: (key: string) => NonNullable<Asked['headers']>,
      query: (key: string) => string,
      answer: string,
    ];
    // biome-ignore format: a table is read by its columns
    const rows: readonly Row[] = [
      ['in two Authorization headers, different', (k) => ({ Authorization: [`Bearer ${k}`, `Bearer ${STRANGE}`] }), () => '', '401 key_unknown'],
      ['in two Authorization headers, the other first', (k) => ({ Authorization: [`Bearer ${STRANGE}`, `Bearer ${k}`] }), () => '', '401 key_unknown'],
      ['in two Authorization headers, the same', (k) => ({ Authorization: [`Bearer ${k}`, `bearer ${k}`] }), () => '', '200'],
      ['in Bearer beside Basic', (k) => ({ Authorization: ['Basic eDp5', `Bearer ${k}`] }), () => '', '200'],
      ['in api_key twice, the same', () => ({}), (k) => `?api_key=${k}&api_key=${k}`, '200'],
      ['in api_key twice, one empty', () => ({}), (k) => `?api_key=&api_key=${k}`, '200'],
      ['in Bearer, X-API-Key empty', (k) => ({ 'X-API-Key': '', Authorization: `Bearer ${k}` }), () => '', '200'],
      ['in X-API-Key, Bearer of another', (k) => ({ 'X-API-Key': k, Authorization: `Bearer ${STRANGE}` }), () => '', '200'],
      ['in X-API-Key, api_key of another', (k) => ({ 'X-API-Key': k }), () => `?api_key=${STRANGE}`, '200'],
      ['in api_key, Bearer of another', () => ({ Authorization: `Bearer ${STRANGE}` }), (k) => `?api_key=${k}`, '401 key_unknown'],
      ['in api_key, Bearer nonsense', () => ({ Authorization: 'Bearer nonsense' }), (k) => `?api_key=${k}`, '401 key_unknown'],
      ['in BEARER', (k) => ({ Authorization: `BEARER ${k}` }), () => '', '200'],
      ['in Authorization without a scheme', (k) => ({ Authorization: k }), () => '', '401 key_missing'],
      ['in API_KEY', () => ({}), (k) => `?API_KEY=${k}`, '401 key_missing'],
      ['in quotes', (k) => ({ 'X-API-Key': `"${k}"` }), () => '', '401 key_unknown'],
      ['with a character more', (k) => ({ 'X-API-Key': `${k}A` }), () => '', '401 key_unknown'],
      ['with a last character that 32 bytes cannot have', (k) => ({ 'X-API-Key': `${k.slice(0, -1)}B` }), () => '', '401 key_unknown'],
      ['with its prefix in upper case', (k) => ({ 'X-API-Key': k.replace('svc_', 'SVC_') }), () => '', '401 key_unknown'],
      ['without its prefix', (k) => ({ 'X-API-Key': k.slice(4) }), () => '', '401 key_unknown'],
    ];
    for (const [what, headers, query, answer] of rows) {
      it(`${what} is answered ${answer} (D16, D17)`, async () => {
        expect(await ask(headers(key), query(key))).to.equal(answer);
      });
    }

    it('is looked at before the parameters: on hold with a bad limit is 402 (D18)', async () => {
      const held = await aKey(client());
      await act(client(), held.key_id, 'hold', { reason: 'ticket' });
      expect(await ask({ 'X-API-Key': held.key }, '?limit=0&cursor=x')).to.equal('402 key_suspended');
    });

    it('in the query is not kept, whatever the answer (D19)', async () => {
      for (const query of [`?api_key=${key}`, `?api_key=${STRANGE}`, `?api_key=${key}&limit=0`]) {
        const { headers } = await client().ask(`/pm/v2/news${query}`);
        expect(headers['cache-control']).to.include('no-store');
        expect(headers['referrer-policy']).to.equal('no-referrer');
      }
    });

    it('in a header leaves the page to be kept by its owner (D36)', async () => {
      const { headers } = await client().news(key);
      expect(headers['cache-control']).to.equal('private, no-cache');
      expect(headers['vary']).to.equal('Authorization, X-API-Key, Accept-Encoding');
      expect(headers['referrer-policy']).to.equal(undefined);
    });
  });
}
