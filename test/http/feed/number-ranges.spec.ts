import { expect } from 'chai';
import { META } from '../../../src/domain/feed/feed-item.js';
import type { Fault } from '../../../src/domain/refusal.js';
import { market, NOON, publication, subMarket } from '../../support/objects/builders.js';
import { ask, bearer, type Composed, composed, keyHolder } from '../../support/service/composed.js';

describe('A publication with a number out of its range', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const post = (body: string) =>
    ask(`${service.internalUrl}/internal/v1/news`, {
      method: 'POST',
      headers: { ...bearer('publisher-token-of-the-tests'), 'Content-Type': 'application/x-ndjson' },
      body,
    });

  it('is refused, and a stored item with such a number is served (D41)', async () => {
    const [related] = publication({
      id: 'cents',
      related_markets: [market('m1', subMarket('s1'))],
    }).related_markets;
    const [sub] = related?.sub_markets ?? [];
    const snapshot = { ...sub?.market_snapshot, yes_ask: 44 };
    const related_markets = [{ ...related, sub_markets: [{ ...sub, market_snapshot: snapshot }] }];
    const inCents = { ...publication({ id: 'cents' }), related_markets };
    const refused = await post(JSON.stringify(inCents));
    const [line] = refused.json<{ rejected: { errors: Fault[] }[] }>().rejected;
    expect([refused.status, line?.errors]).to.deep.equal([
      422,
      [
        {
          parameter: '/related_markets/0/sub_markets/0/market_snapshot/yes_ask',
          code: 'out_of_range',
          message: 'must be from 0 to 1',
        },
      ],
    ]);
    const json = Buffer.from(JSON.stringify({ ...inCents, meta: META }));
    await service.parts.feed.publish([{ id: 'cents', scoredAt: NOON, json, subMarketIds: ['s1'] }], 'live');
    const { value: key } = await keyHolder(service);
    const served = await ask(`${service.url}/pm/v2/news?news_id=cents`, { headers: { 'X-API-Key': key } });
    expect(served.body.toString()).to.include('"yes_ask":44');
  });
});
