import { expect } from 'chai';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import {
  planOfStripeProduct,
  stripeClient,
  stripePortal,
  stripeProcessor,
} from '../../../src/adapters/stripe/stripe-processor.js';
import type { Processor } from '../../../src/application/ports/billing/processor.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { moment, NOON } from '../../support/objects/builders.js';
import {
  NOON_SECONDS,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../../support/objects/stripe-objects.js';
import { StripeStub } from '../../support/servers/stripe-stub.js';
import { unavailability } from '../../support/service/faults.js';

/** D28, D29. Through the Stripe library, over HTTP. */
describe('The Stripe processor', () => {
  let stub: StripeStub;
  let processor: Processor;
  before(async () => {
    stub = await StripeStub.start();
    const client = stripeClient('sk_test_of_the_tests', stub.url);
    const prices = { prices: {}, planOfProduct: planOfStripeProduct(client) };
    processor = stripeProcessor(
      client,
      prices,
      readStripeEvent(prices, () => false),
    );
  });
  after(() => stub.stop());
  beforeEach(() => {
    stub.failing = null;
    stub.asked.length = 0;
  });

  it('returns that an invoice was paid or voided, and when', async () => {
    const paidAt = { status_transitions: { paid_at: NOON_SECONDS - 60, voided_at: null } };
    stub.invoices.set(
      'in_1',
      stripeInvoice({ id: 'in_1', subscription: 'sub_1', status: 'paid', more: paidAt }),
    );
    expect(await processor.invoice('in_1', NOON)).to.deep.equal({
      id: 'asked_in_1_paid',
      at: moment('2026-03-01T11:59:00Z'),
      fact: { kind: 'invoice_settled', invoice: 'in_1', subscription: 'sub_1', settlement: 'paid' },
    });
    stub.invoices.set('in_2', stripeInvoice({ id: 'in_2', subscription: 'sub_1', status: 'void' }));
    const voided = await processor.invoice('in_2', NOON);
    expect([voided?.at, voided?.fact]).to.deep.equal([
      NOON,
      { kind: 'invoice_settled', invoice: 'in_2', subscription: 'sub_1', settlement: 'voided' },
    ]);
  });

  it('returns that an invoice is open, also if it is uncollectible, and null for an unknown one', async () => {
    for (const status of ['open', 'uncollectible', 'draft']) {
      stub.invoices.set('in_3', stripeInvoice({ id: 'in_3', subscription: 'sub_1', status, isOld: true }));
      const answer = await processor.invoice('in_3', NOON);
      expect([answer?.at, answer?.fact]).to.deep.equal([
        NOON,
        { kind: 'invoice_open', invoice: 'in_3', subscription: 'sub_1' },
      ]);
    }
    expect(await processor.invoice('in_nobody', NOON)).to.equal(null);
  });

  it('returns the state of a subscription and the plan of its product, which it queries once', async () => {
    stub.products.set('prod_1', { id: 'prod_1', metadata: { plan: 'builder' } } as { id: string });
    const price = { id: 'price_1', lookup_key: null, product: 'prod_1' };
    stub.subscriptions.set('sub_1', stripeSubscription({ id: 'sub_1', status: 'past_due', price }));
    for (const _ of [1, 2]) {
      const answer = await processor.subscription('sub_1', NOON);
      expect(answer?.fact).to.include({ kind: 'subscription', status: 'past_due', plan: 'builder' });
    }
    expect(stub.asked.filter((path) => path.startsWith('/v1/products'))).to.have.length(1);
    expect(await processor.subscription('sub_nobody', NOON)).to.equal(null);
  });

  it('lists the events of handled types since a time, page by page', async () => {
    for (let i = 0; i < 250; i += 1) {
      const invoice = stripeInvoice({ subscription: 'sub_1' });
      stub.events.push(stripeEvent('invoice.paid', invoice, NOON_SECONDS + i, `evt_${i}`));
      stub.events.push(stripeEvent('charge.refunded', { id: 'ch_1' }, NOON_SECONDS + i));
    }
    const ids: string[] = [];
    const pages: number[] = [];
    for await (const page of processor.eventsSince(plus(NOON, 10_000_000))) {
      pages.push(page.length);
      ids.push(...page.map(({ id }) => id));
      for (const event of page) expect(event.fault).to.equal(null);
    }
    expect(pages).to.deep.equal([100, 100, 40]);
    expect(new Set(ids)).to.deep.equal(new Set(Array.from({ length: 240 }, (_, i) => `evt_${i + 10}`)));
    const none: number[] = [];
    for await (const page of processor.eventsSince(plus(NOON, DAY))) none.push(page.length);
    expect(none).to.deep.equal([0]);
  });

  it('is unavailable if a later page of the events is gone, because the events on it would be missed', async () => {
    for (let i = 0; i < 150; i += 1) {
      const invoice = stripeInvoice({ subscription: 'sub_1' });
      stub.events.push(stripeEvent('invoice.paid', invoice, NOON_SECONDS + i, `evt_${i}`));
    }
    const read = async () => {
      for await (const _ of processor.eventsSince(NOON)) stub.events.length = 0;
    };
    expect(await read().catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
  });

  const portal = () => stripePortal(stripeClient('sk_test_of_the_tests', stub.url));
  const RETURN_URL = 'https://oddswire.example/dashboard/subscription?from=portal';

  it('opens the billing portal for a customer, with a return URL', async () => {
    stub.customers.set('cus_1', { id: 'cus_1' });
    expect(await portal().open('cus_1', RETURN_URL)).to.equal(
      'https://billing.stripe.example/p/session/cus_1',
    );
    expect(stub.portals.at(-1)).to.deep.equal({ customer: 'cus_1', return_url: RETURN_URL });
  });

  it('does not open the billing portal for an unknown customer', async () => {
    expect(await portal().open('cus_nobody', RETURN_URL)).to.equal(null);
  });

  it('returns the email address of a customer unchanged, and null without one or for a deleted customer', async () => {
    stub.customers.set('cus_1', { id: 'cus_1', email: 'Ann.Öst@Example.org' } as { id: string });
    stub.customers.set('cus_2', { id: 'cus_2', email: null } as { id: string });
    stub.customers.set('cus_3', { id: 'cus_3', deleted: true } as { id: string });
    const emails = ['cus_1', 'cus_2', 'cus_3', 'cus_nobody'].map((id) => portal().emailOf(id));
    expect(await Promise.all(emails)).to.deep.equal(['Ann.Öst@Example.org', null, null, null]);
    stub.failing = 500;
    await unavailability(portal().emailOf('cus_1'));
  });

  it('throws Unavailable for the billing portal during an outage, instead of reporting an unknown customer', async () => {
    stub.customers.set('cus_1', { id: 'cus_1' });
    for (const status of [500, 429, 401, 400]) {
      stub.failing = status;
      stub.asked.length = 0;
      await unavailability(portal().open('cus_1', RETURN_URL));
      expect(stub.asked, String(status)).to.have.length(1);
    }
    await unavailability(
      stripePortal(stripeClient('sk_test_of_the_tests', 'http://127.0.0.1:9')).open('cus_1', RETURN_URL),
    );
  });

  it('throws Unavailable, after one request, if Stripe fails, refuses or is unreachable', async () => {
    const isUnavailable = (work: () => Promise<unknown>) =>
      work().then(
        () => 'answered',
        (fault) => fault instanceof Unavailable,
      );
    for (const status of [500, 429, 401, 503]) {
      stub.failing = status;
      stub.asked.length = 0;
      expect(await isUnavailable(() => processor.invoice('in_1', NOON)), String(status)).to.equal(true);
      expect(stub.asked).to.have.length(1);
    }
    const nowhere = stripeClient('sk_test_of_the_tests', 'http://127.0.0.1:9');
    const prices = { prices: {}, planOfProduct: async () => null };
    const unreachable = stripeProcessor(
      nowhere,
      prices,
      readStripeEvent(prices, () => false),
    );
    expect(await isUnavailable(() => unreachable.subscription('sub_1', NOON))).to.equal(true);
  });
});
