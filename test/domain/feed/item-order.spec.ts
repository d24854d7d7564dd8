import { expect } from 'chai';
import { whyNoCorrection } from '../../../src/domain/feed/item-order.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { market, NOON, publication, subMarket } from '../../support/objects/builders.js';

describe('A correction of an item', () => {
  const fieldsOf = (...sent: Parameters<typeof whyNoCorrection>) => {
    const refusal = whyNoCorrection(...sent);
    return refusal === null || !isRefusal(refusal) ? [] : refusal.faults.map(({ parameter }) => parameter);
  };

  it('is a publication with the id of the item, with or without a time', () => {
    expect(whyNoCorrection('ne_1', publication({ id: 'ne_1' }), NOON)).to.equal(null);
    expect(whyNoCorrection('ne_1', publication({ id: 'ne_1', scored_at: NOON }), NOON)).to.equal(null);
  });

  it('cannot have another id: it would be another item (D127)', () => {
    expect(fieldsOf('ne_1', publication({ id: 'ne_2' }), NOON)).to.deep.equal(['/news_event/id']);
  });

  it('is refused for whatever a publication is refused for (D7)', () => {
    const late = publication({ id: 'ne_1', scored_at: '2999-01-01T00:00:00Z' });
    expect(fieldsOf('ne_1', late, NOON)).to.have.length(1);
    const twice = {
      ...publication({ id: 'ne_1' }),
      related_markets: [market('m', subMarket('s'), subMarket('s'))],
    };
    expect(fieldsOf('ne_1', twice, NOON)[0]).to.include('/related_markets/0/sub_markets');
  });
});
