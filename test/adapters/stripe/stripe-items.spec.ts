import { expect } from 'chai';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { signer } from '../../support/objects/checkout-references.js';
import { stripeEvent, stripeInvoice, stripeSubscription } from '../../support/objects/stripe-objects.js';

const asked: string[] = [];
const prices = {
  prices: { price_mapped: 'builder' } as const,
  planOfProduct: async (product: string) => {
    asked.push(product);
    return product === 'prod_pro' ? 'pro' : null;
  },
};
const read = readStripeEvent(prices, signer.isSigned);
const fact = async (type: string, object: object) =>
  (await read(Buffer.from(JSON.stringify(stripeEvent(type, object))))).fact;
const plan = async (price: object) => {
  const facts = await fact('customer.subscription.updated', stripeSubscription({ price }));
  return facts?.kind === 'subscription' ? facts.plan : undefined;
};

/** D27. */
describe('A Stripe subscription', () => {
  describe('takes the plan', () => {
    it('from the setting for the price first', async () => {
      expect(await plan({ id: 'price_mapped', lookup_key: 'pro' })).to.equal('builder');
    });

    it('not from a price whose id is an inherited property name of objects', async () => {
      for (const id of Object.getOwnPropertyNames(Object.prototype)) {
        expect(await plan({ id, lookup_key: 'pro' }), id).to.equal('pro');
      }
    });

    it('from a word of the lookup key', async () => {
      expect(await plan({ id: 'p', lookup_key: 'oddswire_Pro_monthly' })).to.equal('pro');
      expect(await plan({ id: 'p', lookup_key: 'professional' })).to.equal(null);
    });

    it('from the metadata of the price, or of its product if the event contains it', async () => {
      expect(await plan({ id: 'p', lookup_key: null, metadata: { plan: 'builder' } })).to.equal('builder');
      expect(await plan({ id: 'p', product: { id: 'prod', metadata: { plan: 'free' } } })).to.equal('free');
    });

    it('from a query for the product, only if nothing else names the plan', async () => {
      asked.length = 0;
      expect(await plan({ id: 'p', lookup_key: 'pro', product: 'prod_pro' })).to.equal('pro');
      expect(asked).to.deep.equal([]);
      expect(await plan({ id: 'p', product: 'prod_pro' })).to.equal('pro');
      expect(await plan({ id: 'p', product: 'prod_other' })).to.equal(null);
      expect(asked).to.deep.equal(['prod_pro', 'prod_other']);
    });

    it('that is the greatest of several items', async () => {
      const items = ['builder', 'pro', 'free'].map((lookup_key) => ({ price: { id: 'p', lookup_key } }));
      const facts = await fact(
        'customer.subscription.updated',
        stripeSubscription({ more: { items: { data: items } } }),
      );
      expect(facts?.kind === 'subscription' && facts.plan).to.equal('pro');
    });
  });

  describe('whose items hold anything', () => {
    // biome-ignore format: a table is read by its columns
    const ITEMS: readonly (readonly [what: string, items: unknown, plan: string | null])[] = [
      ['a lookup key with a blank',             [{ price: { id: 'p', lookup_key: 'Pro Monthly' } }],            'pro'],
      ['a lookup key with other letters',       [{ price: { id: 'p', lookup_key: 'pro-für-alle' } }],           'pro'],
      ['a plan name inside a longer word',      [{ price: { id: 'p', lookup_key: 'épro' } }],                null],
      ['an empty lookup key',                   [{ price: { id: 'p', lookup_key: '' } }],                       null],
      ['a lookup key of 400 characters',        [{ price: { id: 'p', lookup_key: 'x'.repeat(400) } }],          null],
      ['a lookup key that is no text',          [{ price: { id: 'p', lookup_key: 7 } }],                        null],
      ['a plan in the metadata with a blank',   [{ price: { id: 'p', metadata: { plan: 'Pro plan' } } }],       'pro'],
      ['a plan in the metadata that is a list', [{ price: { id: 'p', metadata: { plan: ['pro'] } } }],          null],
      ['metadata that is a text',               [{ price: { id: 'p', metadata: 'pro' } }],                      null],
      ['metadata of a product with a blank',    [{ price: { id: 'p', product: { metadata: { plan: 'Pro +' } } } }], 'pro'],
      ['an empty product',                      [{ price: { id: 'p', product: '' } }],                          null],
      ['no price',                              [{ id: 'si_1' }],                                               null],
      ['a price that is an id',                 [{ price: 'price_1' }],                                         null],
      ['a price without an id',                 [{ price: { lookup_key: 'pro' } }],                             'pro'],
      ['an item beside the plan',               [{ price: { id: 'p', lookup_key: 'pro' } }, { price: { id: 'q', lookup_key: 'Extra seats' } }], 'pro'],
      ['a period that is no number',            [{ current_period_end: 'May', price: { id: 'p', lookup_key: 'pro' } }], 'pro'],
      ['an item that is null',                  [null, { price: { id: 'p', lookup_key: 'pro' } }],              'pro'],
      ['no list',                               {},                                                             null],
    ];
    for (const [what, data, named] of ITEMS) {
      it(`has its state and its end: ${what}`, async () => {
        for (const [type, status] of [
          ['updated', 'unpaid'],
          ['deleted', 'canceled'],
        ] as const) {
          const object = stripeSubscription({ status, more: { items: { data } } });
          expect(await fact(`customer.subscription.${type}`, object)).to.include({ status, plan: named });
        }
      });
    }

    it('has its state without items, and its end with a status that is unknown', async () => {
      const without = stripeSubscription({ status: 'unpaid', more: { items: undefined } });
      expect(await fact('customer.subscription.updated', without)).to.include({
        status: 'unpaid',
        plan: null,
      });
      const unknown = stripeSubscription({ status: 'dormant' });
      expect(await fact('customer.subscription.deleted', unknown)).to.include({ status: 'canceled' });
    });

    it('of an invoice has its fact, whatever the reason of billing says', async () => {
      const invoice = stripeInvoice({ subscription: 'sub_1', reason: 'a new reason' });
      expect(await fact('invoice.payment_failed', invoice)).to.include({ isFirstInvoice: false });
    });
  });
});
