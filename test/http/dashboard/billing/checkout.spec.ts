import { expect } from 'chai';
import { hmacReferenceSigner } from '../../../../src/adapters/system/hmac-reference-signer.js';
import { readCheckoutLink } from '../../../../src/domain/billing/checkout-reference.js';
import { DAY, MICROSECOND, plus } from '../../../../src/domain/moment.js';
import { aReference } from '../../../support/objects/checkout-references.js';
import {
  ask,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  rewrite,
  START,
} from '../../../support/service/composed.js';
import { type Visitor, visitorOf } from '../../../support/service/visitor.js';

const PAGE = '/dashboard/subscription';
const CHECKOUT = `${PAGE}/checkout`;
const SECRET = { STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' };
const LINK = { ...SECRET, STRIPE_PAYMENT_LINK: 'https://buy.stripe.com/test_9AQ?locale=de' };

describe('The link to a checkout', () => {
  let service: Composed;
  let holder: Holder;
  let visitor: Visitor;
  const start = async (settings: Readonly<Record<string, string>>) => {
    service = await composed(settings);
    holder = await keyHolder(service);
    visitor = await visitorOf(service, holder.account);
  };
  afterEach(() => service.stop());
  const linked = () =>
    rewrite(service, holder.account, (account) => ({ ...account, processorCustomerId: 'cus_7' }));
  /** Expects the reference to link this account, and to expire after 7 days. */
  const expectGood = (reference: string) => {
    const isSigned = service.parts.referenceSigner?.isSigned ?? (() => false);
    const at = (micros: number) => readCheckoutLink(reference, () => plus(START, micros), isSigned);
    expect(at(0)).to.deep.equal({ account: holder.account, refusal: null });
    expect(at(7 * DAY - MICROSECOND)?.refusal).to.equal(null);
    expect(at(7 * DAY)?.refusal).to.equal('expired');
  };

  it('redirects to the payment link with a reference and the email address of the account', async () => {
    await start(LINK);
    const page = await visitor.open(PAGE);
    expect(page.html).to.include(`href="${CHECKOUT}"`);
    expect(page.text).to.not.include('Upgrade to Pro');
    const { status, headers } = await visitor.openOnce(CHECKOUT);
    expect([status, headers['cache-control']]).to.deep.equal([303, 'no-store']);
    const { origin, pathname, searchParams } = new URL(headers.location ?? '');
    expect(`${origin}${pathname}`).to.equal('https://buy.stripe.com/test_9AQ');
    expect([...searchParams.keys()]).to.deep.equal(['locale', 'client_reference_id', 'prefilled_email']);
    expect(searchParams.get('prefilled_email')).to.match(/^holder-\d+@composed\.example$/);
    expectGood(searchParams.get('client_reference_id') ?? '');
  });

  it('redirects to the Plan page for requests from other sites and for HEAD', async () => {
    await start(LINK);
    const Cookie = `oddswire_session=${visitor.cookies.get('oddswire_session')}`;
    for (const [method, site] of [
      ['HEAD', 'same-origin'],
      ['GET', 'cross-site'],
      ['GET', 'same-site'],
    ] as const) {
      const headers = { Cookie, 'Sec-Fetch-Site': site };
      const answer = await ask(`${service.url}${CHECKOUT}`, { method, headers });
      expect([answer.status, answer.headers.location]).to.deep.equal([303, PAGE]);
    }
    const anonymous = await ask(`${service.url}${CHECKOUT}`);
    expect(anonymous.headers.location).to.equal('/dashboard/sign-in');
  });

  it('shows a reference to copy if no payment link is configured', async () => {
    await start(SECRET);
    const page = await visitor.open(PAGE);
    expect(page.html).to.include(`action="${CHECKOUT}"`).and.not.include(`href="${CHECKOUT}"`);
    const shown = await visitor.submit(CHECKOUT);
    expect(shown.status).to.equal(201);
    expect(shown.headers['cache-control']).to.equal('no-store');
    const [, reference = ''] = /<code id="checkout-reference">([^<]+)</.exec(shown.html) ?? [];
    expectGood(reference);
    expect((await visitor.post(CHECKOUT, {})).status).to.equal(403);
    expect((await visitor.openOnce(CHECKOUT)).status).to.equal(404);
  });

  it('is not shown and answers 404 if payments are not configured', async () => {
    await start({});
    expect((await visitor.open(PAGE)).html)
      .not.to.include(CHECKOUT)
      .and.not.include('Subscribe');
    expect((await visitor.openOnce(CHECKOUT)).status).to.equal(404);
    expect((await visitor.open(PAGE)).status).to.equal(200);
    expect((await visitor.submit(CHECKOUT)).status).to.equal(404);
    const path = `/internal/v1/accounts/${holder.account}/checkout-reference`;
    const headers = { Authorization: `Bearer ${service.config.operatorToken}` };
    const answer = await ask(`${service.internalUrl}${path}`, { method: 'POST', headers });
    expect([answer.status, answer.json().code]).to.deep.equal([409, 'payments_not_configured']);
    expect(answer.json().detail).to.include('STRIPE_WEBHOOK_SECRET');
  });

  it('is not shown to an account that is already a customer, and redirects it to the Plan page', async () => {
    for (const settings of [LINK, SECRET]) {
      await start(settings);
      await linked();
      expect((await visitor.open(PAGE)).html).not.to.include(CHECKOUT);
      expect((await visitor.openOnce(CHECKOUT)).headers.location).to.equal(PAGE);
      await visitor.open(PAGE);
      const posted = await visitor.post(CHECKOUT, { form_token: visitor.formToken });
      expect(posted.headers.location).to.equal(PAGE);
      if (settings === LINK) await service.stop();
    }
  });

  it('accepts references of the old webhook secret during a change, and creates them with the new one', async () => {
    await start({ STRIPE_WEBHOOK_SECRET: `whsec_new,${SECRET.STRIPE_WEBHOOK_SECRET}` });
    expectGood(aReference(holder.account, START));
    await visitor.open(PAGE);
    const [, made = ''] =
      /<code id="checkout-reference">([^<]+)</.exec((await visitor.submit(CHECKOUT)).html) ?? [];
    const { isSigned } = hmacReferenceSigner(['whsec_new']);
    expect(readCheckoutLink(made, () => START, isSigned)?.refusal).to.equal(null);
  });

  it('is limited to 10 uses in ten minutes', async () => {
    await start(LINK);
    for (let i = 0; i < 10; i += 1) expect((await visitor.openOnce(CHECKOUT)).status).to.equal(303);
    const refused = await visitor.openOnce(CHECKOUT);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 600);
  });
});
