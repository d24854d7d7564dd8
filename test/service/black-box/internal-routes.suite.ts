import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import {
  advance,
  problem,
  publishAll,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';

/** D5, D30: which token allows which request to the internal listener. */
export function internalRoutesSuite({ client, service }: ServiceUnderTest): void {
  describe('the internal listener', () => {
    it('requires the publisher token for publishing and the operator token for accounts (D30)', async () => {
      const answer = async (path: string, method: string, token?: string) => {
        const headers: Record<string, string> =
          token === undefined ? {} : { Authorization: `Bearer ${token}` };
        const reply = await client().internal(path, { method, headers });
        return [reply.status, problem(reply).code];
      };
      const [news, accounts] = ['/internal/v1/news', '/internal/v1/accounts'];
      expect(await answer(news, 'POST')).to.deep.equal([401, 'unauthorized']);
      expect(await answer(news, 'POST', 'nonsense')).to.deep.equal([401, 'unauthorized']);
      expect(await answer(news, 'POST', 'operator-token-of-the-tests')).to.deep.equal([403, 'forbidden']);
      expect(await answer(accounts, 'POST', 'publisher-token-of-the-tests')).to.deep.equal([
        403,
        'forbidden',
      ]);
    });

    it('lets only publishers retract an item, whatever characters its id has (D30)', async () => {
      const id = `${unique()}/..+x`;
      const sent = publication({ id });
      const plain = { ...sent, news_event: { ...sent.news_event, source_news_url: null } };
      await publishAll(client(), [plain]);
      const retract = async (token: string) => {
        const asked = { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } };
        return (await client().internal(`/internal/v1/news/${encodeURIComponent(id)}`, asked)).status;
      };
      const { operator, publisher } = service().tokens;
      expect([await retract('x'), await retract(operator), await retract(publisher)]).to.deep.equal([
        401, 403, 204,
      ]);
    });

    it('lets only operators move the test clock, only forward, also by fractions of a second (D5, D30)', async () => {
      const before = await advance(client(), 0);
      const after = await advance(client(), 0.25);
      expect(Date.parse(after) - Date.parse(before)).to.be.at.least(250);
      const now = (await client().operate('GET', '/internal/v1/test-clock')).json as { readonly now: string };
      expect(now.now >= after).to.equal(true);
      for (const advance_seconds of [-1, '1', null, 1e12]) {
        const refused = await client().operate('POST', '/internal/v1/test-clock', { advance_seconds });
        expect([refused.status, problem(refused).code]).to.deep.equal([400, 'invalid_body']);
      }
      const headers = { Authorization: `Bearer ${service().tokens.publisher}` };
      expect((await client().internal('/internal/v1/test-clock', { headers })).status).to.equal(403);
    });
  });
}
