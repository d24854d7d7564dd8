import { expect } from 'chai';
import { cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import { rewrite } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';
import { visitorOf } from '../../support/service/visitor.js';

/** A subscription that the processor has reported, and not its end. */
const SUBSCRIPTION = {
  startedAt: auditContext().at,
  status: { value: 'active', at: auditContext().at, rank: 0, event: 'evt_1' },
  plan: null,
  terms: { value: { trialEndsAt: null, periodEndsAt: null }, at: auditContext().at, rank: 0, event: 'evt_1' },
} as const;

describe('The deletion of an account in the console', () => {
  const { service, holder, operator, home, ofAccount, statusNow, lastEntry, everythingNow } =
    operatorConsole();

  it('asks for a confirmation, not for a reason, and explains what is removed', async () => {
    const person = await operator();
    const page = await person.open(ofAccount('delete'));
    expect(page.text).to.include('This cannot be undone').and.include('A sign-in with the old email address');
    expect(page.html).not.to.include('<textarea');
    expectUsable('delete', page.html);
    expect(await statusNow()).to.equal(200);
  });

  it('revokes the keys, signs the owner out, and shows the account without personal data', async () => {
    const owner = await visitorOf(service(), holder().account);
    const email = (await everythingNow()).account?.email ?? '';
    const person = await operator();
    await person.open(ofAccount('delete'));
    const done = await person.submit(ofAccount('delete'));
    expect(done.text)
      .to.include('The account is deleted. Its personal data is removed.')
      .and.include('Nobody can sign in to it')
      .and.not.include(email);
    const { text: audit } = await person.open(`${home()}/audit`);
    expect(audit).to.include('Account deleted: keys revoked, personal data removed').and.not.include(email);
    expect(done.html).not.to.include('/acts/');
    expectUsable('a deleted account', done.html);
    expect(await statusNow()).to.equal(401);
    expect(await lastEntry()).to.include({ event: 'deleted', actor: 'operator', reason: null });
    expect((await owner.openOnce('/dashboard/keys')).headers.location).to.equal('/dashboard/sign-in');
    await person.open('/operator');
    expect((await person.submit('/operator', { q: email })).status).to.equal(404);
  });

  it('is not offered while a subscription runs, and refused if one has begun since', async () => {
    const person = await operator();
    await person.open(ofAccount('delete'));
    await rewrite(service(), holder().account, (account) => ({
      ...account,
      payments: { ...account.payments, subscriptions: { sub_1: SUBSCRIPTION } },
    }));
    const before = await everythingNow();
    expect((await person.open(home())).html).not.to.include('acts/delete');
    const refused = await person.submit(ofAccount('delete'));
    expect(refused.status).to.equal(409);
    expect(await everythingNow()).to.deep.equal(before);
    accepted(
      await service().parts.accounts.change(holder().account, (found) =>
        cancelSubscription(found, auditContext(service().clock.at)),
      ),
    );
    expect((await person.open(home())).html).to.include('acts/delete');
  });
});
