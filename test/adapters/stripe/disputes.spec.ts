import { expect } from 'chai';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { outcomeOf } from '../../../src/application/billing/event-outcome.js';
import { account } from '../../support/objects/builders.js';
import { stripeEvent } from '../../support/objects/stripe-objects.js';

const read = readStripeEvent({ prices: {}, planOfProduct: async () => null }, () => false);

describe('Refunds and disputes of the processor (D29)', () => {
  const outcome = async (type: string, object: object) => {
    const event = await read(Buffer.from(JSON.stringify(stripeEvent(type, object))));
    return outcomeOf(event, account(), () => expect.fail('the account was changed'));
  };

  it('change nothing, and a lost dispute says what the operator has to decide', async () => {
    const lost = await outcome('charge.dispute.closed', { id: 'dp_1', charge: 'ch_1', status: 'lost' });
    expect([lost.state, lost.account, lost.change]).to.deep.equal(['ignored', null, null]);
    expect(lost.fault).to.include('the dispute of charge ch_1 was lost');
    const without = await outcome('charge.dispute.closed', { id: 'dp_1', status: 'lost' });
    expect([without.state, without.fault?.includes('charge unknown')]).to.deep.equal(['ignored', true]);
  });

  const others: readonly (readonly [string, object])[] = [
    ['charge.dispute.closed', { id: 'dp_1', charge: 'ch_1', status: 'won' }],
    ['charge.dispute.closed', { id: 'dp_1', charge: 'ch_1', status: 'warning_closed' }],
    ['charge.dispute.created', { id: 'dp_1', charge: 'ch_1', status: 'needs_response' }],
    ['charge.dispute.funds_withdrawn', { id: 'dp_1', charge: 'ch_1', status: 'lost' }],
    ['charge.refunded', { id: 'ch_1', object: 'charge', customer: 'cus_1', refunded: true }],
    ['refund.created', { id: 're_1', charge: 'ch_1' }],
  ];
  for (const [type, object] of others)
    it(`of type ${type} are ignored: ${JSON.stringify(object)}`, async () => {
      expect(await outcome(type, object)).to.include({ state: 'ignored', fault: null, change: null });
    });
});
