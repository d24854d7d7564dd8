import { expect } from 'chai';
import { ask, type Composed, composed } from '../../support/service/composed.js';

const KEY = '/internal/v1/keys/none';
const ITEM = '/internal/v1/news/none';

describe('The tokens of the internal listener', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [authorization: string | undefined, operating: number, publishing: number])[] = [
    ['Bearer operator-token-of-the-tests',     404, 403],
    ['bearer   operator-token-of-the-tests',   404, 403],
    ['Bearer publisher-token-of-the-tests',    403, 404],
    ['Bearer operator-token-of-the-testsX',    401, 401],
    ['Bearer operator-token-of-the-test',      401, 401],
    ['Bearer OPERATOR-TOKEN-OF-THE-TESTS',     401, 401],
    ['Bearer operator-token-of-the-tests x',   401, 401],
    ['Bearer',                    401, 401],
    ['Basic operator-token-of-the-tests',      401, 401],
    ['operator-token-of-the-tests', 401, 401],
    [undefined,                   401, 401],
  ];
  for (const [authorization, operating, publishing] of cases) {
    it(`give “${authorization ?? ''}” ${operating} on operator calls and ${publishing} on publisher calls (D30)`, async () => {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization };
      const operated = await ask(`${service.internalUrl}${KEY}`, { headers });
      const published = await ask(`${service.internalUrl}${ITEM}`, { method: 'DELETE', headers });
      expect([operated.status, published.status]).to.deep.equal([operating, publishing]);
    });
  }

  it('never match if they are empty: a request without a token gets 401', async () => {
    const open = await composed({}, () => ({ tokens: () => ({ operator: '', publisher: '' }) }));
    try {
      expect((await ask(`${open.internalUrl}${KEY}`)).status).to.equal(401);
      expect((await ask(`${open.internalUrl}${ITEM}`, { method: 'DELETE' })).status).to.equal(401);
    } finally {
      await open.stop();
    }
  });
});
