import { expect } from 'chai';
import { positionToken } from '../../../src/domain/feed/position.js';
import { market as marketOf, publication, subMarket } from '../../support/objects/builders.js';
import {
  aKey,
  page,
  problem,
  publishAll,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';
import type { Reply } from '../../support/service/client.js';

/** What a page has besides its items. */
const shownBy = ({ json, headers }: Reply) => ({
  json,
  etag: headers.etag,
  head: headers['feed-head'],
  position: headers['feed-position'],
});

/** D60: the feed as it was at a change. */
export function pastSuite({ client }: ServiceUnderTest): void {
  describe('the feed as it was (`as_of`)', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const read = (query: string) => client().news(key, query);
    const asOf = (position: unknown, query = '') =>
      read(`?as_of=${encodeURIComponent(String(position))}${query}`);

    it('is every page that was ever served, byte for byte, at its `Feed-Position`', async () => {
      const [a, b, market] = [unique(), unique(), unique()];
      const item = publication({ id: a, related_markets: [marketOf(unique(), subMarket(market))] });
      await publishAll(client(), [item, publication({ id: b })]);
      const queries = ['&limit=1', `&news_id=${a}`, `&market_id=${market}`, '&limit=2&since=2026-01-01'];
      const shown = await Promise.all(queries.map((query) => read(`?${query}`)));
      const next = page(shown[0] as Reply).next_cursor;
      const second = await read(`?limit=1&cursor=${next}`);
      await publishAll(client(), [{ ...item, news_event: { ...item.news_event, headline: 'replaced' } }]);
      await client().retract(b);
      for (const [i, query] of queries.entries()) {
        const then = shown[i] as Reply;
        const past = await asOf(then.headers['feed-position'], query);
        expect(shownBy(past), query).to.deep.equal(shownBy(then));
        expect(past.headers['feed-as-of']).to.equal(then.headers['feed-position']);
      }
      const past = await asOf(second.headers['feed-position'], `&limit=1&cursor=${next}`);
      expect(shownBy(past)).to.deep.equal(shownBy(second));
    });

    it('is the one that was known at a time, and that of now for a later time', async () => {
      await publishAll(client(), [publication({ id: unique() })]);
      const now = await read('?limit=3');
      const later = await asOf('9999-01-01T00:00:00Z', '&limit=3');
      expect(shownBy(later)).to.deep.equal(shownBy(now));
      expect(later.headers['feed-as-of']).to.equal(now.headers['feed-position']);
    });

    it('is 304 for a client that has the page', async () => {
      const now = await read('?limit=1');
      const position = now.headers['feed-position'];
      const { status, headers } = await client().news(key, `?limit=1&as_of=${position}`, {
        'If-None-Match': String(now.headers.etag),
      });
      expect([status, headers['feed-as-of']]).to.deep.equal([304, position]);
    });

    it('is refused before the history, at positions of another history, and with filters by content', async () => {
      const before = problem(await asOf('2001-01-01T00:00:00Z'));
      expect(before.code).to.equal('before_history');
      const { history_from: from } = before as unknown as {
        history_from: Record<'position' | 'known_at', string>;
      };
      expect((await asOf(from.position)).headers['feed-as-of']).to.equal(from.position);
      expect((await asOf(from.known_at)).status).to.equal(200);
      const foreign = positionToken({ n: 5, mark: '0123456789abcdef' });
      expect(problem(await asOf(foreign)).code).to.equal('position_expired');
      const codes = async (query: string) => {
        const { errors } = problem(await read(query)) as unknown as {
          errors: { parameter: string; code: string }[];
        };
        return errors.map(({ parameter, code }) => `${parameter} ${code}`);
      };
      expect(await codes('?as_of=nonsense')).to.deep.equal(['as_of invalid_as_of']);
      expect(await codes('?as_of=2026-01-01T00:00:00Z&category=politics&q=rate')).to.deep.equal([
        'category not_with_as_of',
        'q not_with_as_of',
      ]);
    });
  });
}
