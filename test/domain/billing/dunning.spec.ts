import { expect } from 'chai';
import fc from 'fast-check';
import {
  DUNNING,
  dunningOf,
  exhaustedSince,
  exhaustsAt,
  paymentFailureSince,
} from '../../../src/domain/billing/dunning.js';
import type { OpenInvoice } from '../../../src/domain/billing/failed-invoice.js';
import {
  mergeEvent,
  NO_PAYMENT_FACTS,
  type PaymentEvent,
} from '../../../src/domain/billing/payment-event.js';
import { DAY, HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { runs } from '../../support/objects/builders.js';
import { day, failed, settledAs, stillOpen } from '../../support/objects/payment-events.js';

const dunning = (...list: readonly PaymentEvent[]) =>
  dunningOf(list.reduce(mergeEvent, NO_PAYMENT_FACTS), 'sub_1', DUNNING);
const only = (...list: readonly PaymentEvent[]): OpenInvoice => {
  const [invoice, ...others] = dunning(...list);
  if (invoice === undefined || others.length > 0) throw new Error('not exactly one invoice is open');
  return invoice;
};

describe('Dunning (D28)', () => {
  it('starts with the first failed attempt of an invoice, which is no retry', () => {
    expect(dunning()).to.deep.equal([]);
    expect(only(failed(0, 1))).to.deep.equal({
      id: 'in_1',
      firstFailedAt: day(0),
      failedRetries: 0,
      nextRetryAt: day(1),
      retriesExhaustedAt: null,
      deadline: day(14),
      confirmedOpenAt: null,
      settledAt: null,
    });
  });

  it('does not start with the first invoice of a subscription', () => {
    expect(dunning(failed(0, 1, { isFirstInvoice: true }))).to.deep.equal([]);
  });

  it('expects retries 1, 4, 8 and 14 days after the first failure, or when the processor reports them', () => {
    const expected = [1, 2, 3, 4].map((attempts) => only(failed(0, 1), failed(0.5, attempts)).nextRetryAt);
    expect(expected).to.deep.equal([day(1), day(4), day(8), day(14)]);
    expect(only(failed(0, 1, { nextAttemptAt: day(3) })).nextRetryAt).to.equal(day(3));
    expect(only(failed(0, 1), failed(14, 5)).nextRetryAt).to.equal(null);
  });

  it('is exhausted by the fourth failed retry, as of its failure', () => {
    const fourth = only(failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4));
    expect([fourth.failedRetries, fourth.retriesExhaustedAt]).to.deep.equal([3, null]);
    const fifth = only(failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4), failed(12, 5), failed(13, 6));
    expect([fifth.failedRetries, fifth.retriesExhaustedAt]).to.deep.equal([5, day(12)]);
    expect(exhaustedSince(fifth, day(12), 'unreachable')).to.equal(day(12));
  });

  it('is exhausted by that retry even if the events of earlier attempts are missing', () => {
    expect(only(failed(9, 5)).retriesExhaustedAt).to.equal(day(9));
  });

  it('ends when the invoice is paid or voided, not when it is written off', () => {
    expect(dunning(failed(0, 1), settledAs(2, 'paid'))).to.deep.equal([]);
    expect(dunning(failed(0, 1), settledAs(2, 'voided'))).to.deep.equal([]);
    expect(dunning(failed(0, 1), settledAs(2, 'uncollectible'))).to.have.length(1);
    expect(dunning(settledAs(2, 'paid'), failed(0, 1))).to.deep.equal([]);
  });

  it('needs a payment for each of two open invoices, and lists the older one first', () => {
    const both = [failed(3, 1, { invoice: 'in_2' }), failed(0, 1)];
    expect(dunning(...both).map(({ id }) => id)).to.deep.equal(['in_1', 'in_2']);
    expect(dunning(...both, settledAs(4, 'paid')).map(({ id }) => id)).to.deep.equal(['in_2']);
    expect(dunning(...both, settledAs(4, 'paid'), settledAs(5, 'paid', 'in_2'))).to.deep.equal([]);
  });

  it('starts again with the next invoice that fails after a payment', () => {
    const next = only(failed(0, 1), failed(8, 4), settledAs(9, 'paid'), failed(30, 1, { invoice: 'in_2' }));
    expect([next.id, next.firstFailedAt, next.failedRetries]).to.deep.equal(['in_2', day(30), 0]);
  });

  it('does not affect another subscription', () => {
    const facts = mergeEvent(NO_PAYMENT_FACTS, failed(0, 1));
    expect(dunningOf(facts, 'sub_2', DUNNING)).to.deep.equal([]);
  });

  describe('by time', () => {
    const open = only(failed(0, 1));

    it('is exhausted as of 14 days after the first failure, not before', () => {
      expect(exhaustedSince(open, plus(day(14), -MICROSECOND), 'no processor')).to.equal(null);
      for (const now of [day(14), day(40)]) {
        expect(exhaustedSince(open, now, 'no processor')).to.equal(day(14));
        expect(exhaustedSince(only(failed(0, 1), stillOpen(14)), now, 'unreachable')).to.equal(day(14));
      }
    });

    it('serves a customer for 24 more hours while the processor cannot be asked', () => {
      expect(exhaustsAt(open, 'unreachable')).to.equal(day(15));
      expect(exhaustedSince(open, plus(day(15), -MICROSECOND), 'unreachable')).to.equal(null);
      expect(exhaustedSince(open, day(15), 'unreachable')).to.equal(day(15));
    });

    it('ignores a confirmation from before the deadline', () => {
      expect(exhaustsAt(only(failed(0, 1), stillOpen(13)), 'unreachable')).to.equal(day(15));
    });

    it('is exhausted by the last retry or the deadline, whichever comes first', () => {
      const early = only(failed(0, 1), failed(10, 5));
      expect(exhaustedSince(early, day(20), 'no processor')).to.equal(day(10));
      const late = only(failed(0, 1), failed(14.5, 5));
      expect(exhaustedSince(late, day(20), 'no processor')).to.equal(day(14));
      expect(exhaustedSince(late, plus(day(14), 13 * HOUR), 'unreachable')).to.equal(day(14.5));
    });

    it('is exhausted at the same moment for any clock steps over 30 days', () => {
      const steps = fc.array(fc.integer({ min: 1, max: 5 * DAY }), { maxLength: 60 });
      const attempts = fc.option(fc.integer({ min: 1, max: 20 }), { nil: null });
      fc.assert(
        fc.property(steps, attempts, (sizes, fifthFailsOn) => {
          const invoice = only(failed(0, 1), ...(fifthFailsOn === null ? [] : [failed(fifthFailsOn, 5)]));
          let now = day(0);
          for (const size of [...sizes, 30 * DAY]) {
            now = plus(now, size);
            const known = fifthFailsOn !== null && day(fifthFailsOn) <= now ? invoice : only(failed(0, 1));
            const at = exhaustedSince(known, now, 'no processor');
            if (at === null) continue;
            expect(at).to.equal(fifthFailsOn !== null && fifthFailsOn < 14 ? day(fifthFailsOn) : day(14));
            return;
          }
          throw new Error('it never ended');
        }),
        runs(500),
      );
    });
  });

  describe('suspends the subscription for payment failure', () => {
    const since = (now: Moment, ...list: readonly PaymentEvent[]) =>
      paymentFailureSince(list.reduce(mergeEvent, NO_PAYMENT_FACTS), 'sub_1', DUNNING, now, 'no processor');

    it('when it is exhausted, by retries or by time, and not before', () => {
      const four = [failed(0, 1), failed(1, 2), failed(4, 3), failed(8, 4)];
      expect(since(day(13), ...four)).to.equal(null);
      expect(since(day(13), ...four, failed(12, 5))).to.equal(day(12));
      expect(since(day(20), ...four)).to.equal(day(14));
    });

    it('until every open invoice is paid: one of two payments is not enough', () => {
      const both = [failed(0, 1), failed(9, 5), failed(8, 1, { invoice: 'in_2' })];
      expect(since(day(10), ...both)).to.equal(day(9));
      expect(since(day(10), ...both, settledAs(10, 'paid'))).to.equal(day(9));
      expect(since(day(10), ...both, settledAs(10, 'paid'), settledAs(10, 'paid', 'in_2'))).to.equal(null);
    });

    it('not again for an invoice that was settled before the next one failed', () => {
      const first = [failed(0, 1), failed(9, 5), settledAs(10, 'paid')];
      expect(since(day(12), ...first, failed(11, 1, { invoice: 'in_2' }))).to.equal(null);
      expect(since(day(30), ...first, failed(11, 1, { invoice: 'in_2' }))).to.equal(day(25));
    });

    it('because of a chain of invoices that were open one beside the other', () => {
      const chain = [
        ...[failed(0, 1), failed(9, 5), settledAs(12, 'paid')],
        ...[failed(11, 1, { invoice: 'in_2' }), settledAs(14, 'paid', 'in_2')],
        failed(13, 1, { invoice: 'in_3' }),
      ];
      expect(since(day(15), ...chain)).to.equal(day(9));
    });

    it('not for an invoice that was paid before dunning was exhausted, whatever fails beside it', () => {
      const list = [failed(0, 1), settledAs(5, 'paid'), failed(3, 1, { invoice: 'in_2' })];
      expect(since(day(16), ...list)).to.equal(null);
      expect(since(day(17), ...list)).to.equal(day(17));
    });

    it('the same, in any order of the events', () => {
      const facts = fc.record({
        invoice: fc.constantFrom('in_1', 'in_2', 'in_3'),
        days: fc.nat(20),
        what: fc.oneof(
          fc.integer({ min: 1, max: 5 }),
          fc.constantFrom('paid' as const, 'uncollectible' as const),
        ),
      });
      fc.assert(
        fc.property(fc.array(facts, { maxLength: 12 }), fc.nat(40), (list, today) => {
          const all = list.map(({ invoice, days, what }) =>
            typeof what === 'number' ? failed(days, what, { invoice }) : settledAs(days, what, invoice),
          );
          expect(since(day(today), ...all.toReversed())).to.equal(since(day(today), ...all));
        }),
        runs(500),
      );
    });
  });
});
