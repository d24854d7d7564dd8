import { expect } from 'chai';
import fc from 'fast-check';
import { mergeEvent, NO_PAYMENT_FACTS } from '../../src/domain/billing/payment-event.js';
import { ownValue } from '../../src/domain/own-value.js';
import { NOON, runs } from '../support/objects/builders.js';
import { failed, paid, subscriptionEvent } from '../support/objects/payment-events.js';

/** The properties that every object inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

describe('A value looked up by an untrusted name', () => {
  it('is undefined for the names that every object inherits', () => {
    for (const name of INHERITED) expect(ownValue({ known: 1 }, name), name).to.equal(undefined);
    expect(ownValue({ known: 1 }, 'known')).to.equal(1);
  });

  it('is the one that was stored, whatever the name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...INHERITED)), (name) => {
        expect(ownValue({ ...{}, [name]: 1 }, name)).to.equal(1);
      }),
      runs(200),
    );
  });
});

describe('Payment facts with an id that every object inherits', () => {
  for (const id of INHERITED) {
    it(`are merged as with any other id: ${id} (D29)`, () => {
      const events = (name: string) => [
        subscriptionEvent(1, 'active', { id: name, plan: 'pro' }),
        failed(2, 1, { invoice: name }),
        failed(3, 2, { invoice: name }),
        paid(4, name),
        subscriptionEvent(5, 'paused', { id: name }),
      ];
      const merged = (name: string) =>
        events(name).reduce(
          (facts, { at, fact }, i) => mergeEvent(facts, { id: `evt_${i}`, at, fact }),
          NO_PAYMENT_FACTS,
        );
      const [strange, usual] = [merged(id), merged('usual')];
      expect(Object.entries(strange.subscriptions)).to.deep.equal([
        [id, ownValue(usual.subscriptions, 'usual')],
      ]);
      expect(Object.entries(strange.invoices)).to.deep.equal([[id, ownValue(usual.invoices, 'usual')]]);
      const kept = JSON.parse(JSON.stringify(strange)) as typeof strange;
      expect(mergeEvent(kept, { ...subscriptionEvent(6, 'active', { id }), id: 'evt_9' })).to.deep.equal(
        mergeEvent(strange, { ...subscriptionEvent(6, 'active', { id }), id: 'evt_9' }),
      );
      expect(NOON < (ownValue(kept.subscriptions, id)?.status.at ?? '')).to.equal(true);
    });
  }
});
