import { expect } from 'chai';
import { withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { ALONE } from '../../support/objects/account-payments.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import { subscriptionEvent } from '../../support/objects/payment-events.js';
import { operatorConsole } from '../../support/service/operator-console.js';

describe('The page that changes a plan', () => {
  const { service, holder, operator, home, lastEntry, everythingNow } = operatorConsole();
  const path = () => `${home()}/plan`;
  const planNow = async () => (await everythingNow()).account?.subscription.plan;

  it('shows the effect first, then changes the plan with a reason (D25, D126)', async () => {
    accepted(await service().parts.issueKey(holder().account, null, 'test'));
    const person = await operator();
    expect((await person.open(home())).html).to.include(`href="${path()}"`);
    expectUsable('choose a plan', (await person.open(path())).html);
    const preview = await person.open(`${path()}?to=free`);
    expect(preview.text).to.include('Requests per day 1,000,000 5,000');
    expect(preview.text).to.include('Keys beyond the new limit: 1. They keep working.');
    expect(preview.text).to.include('Open streams beyond 1 end');
    expectUsable('effect of a plan', preview.html);
    expect(await planNow()).to.equal('pro');
    const done = await person.submit(path(), { seen: 'pro', to: 'free', reason: 'they asked' });
    expect(done.text).to.include('The plan is changed.').and.include('Plan Free');
    expect(await lastEntry()).to.deep.include({
      ...{ actor: 'operator', event: 'subscription_changed', reason: 'pro → free: they asked', key: null },
    });
    expect(
      (await service().parts.readLimits((await everythingNow()).account?.subscription as never))?.[0],
    ).to.have.nested.property('policy.quota', 60);
  });

  it('changes nothing without a reason, for an unknown plan, or on an outdated form', async () => {
    const person = await operator();
    await person.open(`${path()}?to=free`);
    const before = await everythingNow();
    const complete = { seen: 'pro', to: 'free', reason: 'x' };
    for (const [fields, status, text] of [
      [{ reason: '' }, 400, 'Reason must have 1 to 500 characters'],
      [{ to: 'gold' }, 400, 'New plan'],
      [{ seen: 'builder' }, 409, 'the account has changed since'],
      [{ to: 'pro' }, 409, 'the account has changed since'],
    ] as const) {
      const page = await person.submit(path(), { ...complete, ...fields });
      expect([page.status, page.text.includes(text)], text).to.deep.equal([status, true]);
      expectUsable(text, page.html);
    }
    expect((await person.post(path(), complete)).status).to.equal(403);
    expect((await person.open('/operator/accounts/acc_nobody/plan')).status).to.equal(404);
    expect(await everythingNow()).to.deep.equal(before);
  });

  it('changes nothing while the payment processor names the plan (D126)', async () => {
    const at = service().clock.at;
    const event = { ...subscriptionEvent(0, 'active', { plan: 'builder' }), at };
    await service().parts.accounts.change(holder().account, (found) =>
      withPaymentEvents(found, [event], ALONE, auditContext(at)),
    );
    const person = await operator();
    expect((await person.open(home())).html).not.to.include(`href="${path()}"`);
    const page = await person.open(`${path()}?to=free`);
    expect(page.text).to.include('Change the price of the subscription there.');
    expect(page.html).not.to.include('name="reason"');
    const before = await everythingNow();
    const sent = await person.submit(path(), { seen: 'builder', to: 'free', reason: 'x' });
    expect([sent.status, await everythingNow()]).to.deep.equal([409, before]);
  });
});
