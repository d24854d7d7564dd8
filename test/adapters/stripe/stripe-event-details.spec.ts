import { expect } from 'chai';
import { stripeEventDetails } from '../../../src/adapters/stripe/stripe-event-details.js';

const detailsOf = (object: unknown) => stripeEventDetails(Buffer.from(JSON.stringify({ data: { object } })));

describe('The details of a Stripe event', () => {
  it('are the id of its object, the reference of its checkout, and the email address', () => {
    const session = {
      id: 'cs_1',
      client_reference_id: 'ref_1',
      customer_details: { email: 'ada@example.org' },
    };
    expect(detailsOf(session)).to.deep.equal({
      object: 'cs_1',
      reference: 'ref_1',
      email: 'ada@example.org',
    });
    expect(detailsOf({ id: 'in_1', customer_email: 'ada@example.org' })).to.deep.equal({
      ...{ object: 'in_1', reference: null, email: 'ada@example.org' },
    });
  });

  it('are absent where the payload has none, or cannot be read', () => {
    const none = { object: null, reference: null, email: null };
    expect(detailsOf({ id: 7, customer_details: [] })).to.deep.equal(none);
    expect(detailsOf(null)).to.deep.equal(none);
    for (const text of ['', '{', '[]', '{"data":1}'])
      expect(stripeEventDetails(Buffer.from(text)), text).to.deep.equal(none);
  });
});
