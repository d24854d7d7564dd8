import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PlanName } from '../../../../src/domain/billing/plan.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { accepted } from '../../../support/objects/builders.js';
import { type Composed, composed, keyHolder, requestNews, START } from '../../../support/service/composed.js';
import { visitorOf } from '../../../support/service/visitor.js';

const SETTINGS = {
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
  STRIPE_PAYMENT_LINK: 'https://buy.stripe.com/test_9AQ',
  RATE_LIMIT_BUILDER_DAY: '100',
};

describe('The plans on the page of the plan', () => {
  let service: Composed;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plans-'));
    const file = join(folder, 'plans.json');
    writeFileSync(file, JSON.stringify({ pro: { price: '$99 a month' } }));
    service = await composed({ ...SETTINGS, PLANS_FILE: file });
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const pageOf = async (plan: PlanName, keys = 1) => {
    const holder = await keyHolder(service, plan);
    for (let i = 1; i < keys; i += 1) accepted(await service.parts.issueKey(holder.account, null, 'test'));
    return { holder, page: await (await visitorOf(service, holder.account)).open('/dashboard/subscription') };
  };

  it('have their limits and prices, and the current one is marked', async () => {
    const { page } = await pageOf('free');
    expect(page.text).to.include('Free Current 60 requests a minute 5,000 requests a day 1 stream 1 key');
    expect(page.text).to.include('Pro $99 a month 3,000 requests a minute');
    expect(page.text).to.include(
      'Upgrade: more requests a minute, requests a day, streams, keys and destinations. Your keys stay the same. Upgrade to Pro',
    );
  });

  it('have a button for each upgrade, of which the next one is the main button of the page', async () => {
    const { page } = await pageOf('free');
    const buttons = [
      ...page.html.matchAll(/<a class="([^"]*)" href="\/dashboard\/subscription\/checkout">([^<]*)/g),
    ];
    expect(buttons.map(([, style, text]) => [style, text])).to.deep.equal([
      ['button', 'Upgrade to Builder'],
      ['button plain', 'Upgrade to Pro'],
    ]);
  });

  it('say what a downgrade means for the keys that the account has (D24)', async () => {
    const { page } = await pageOf('pro', 3);
    expect(page.text).to.include(
      '2 of them are above its limit: they keep working, but no key can be created until none is in use.',
    );
    expect((await pageOf('pro', 1)).page.text).not.to.include('above its limit');
  });

  it('are below the usage, with what the day ends with at the rate so far', async () => {
    service.clock.at = plus(START, -6 * HOUR);
    const { holder } = await pageOf('builder');
    for (let i = 0; i < 3; i += 1) await requestNews(service, holder.value);
    const { text } = await (await visitorOf(service, holder.account)).open('/dashboard/subscription');
    expect(text).to.include('Per day: 3 of 100 resets in 18 h · at this rate 12% of today');
    for (let i = 0; i < 37; i += 1) await requestNews(service, holder.value);
    const later = await (await visitorOf(service, holder.account)).open('/dashboard/subscription');
    expect(later.text).to.include('at this rate 160% of today: used up in 10 h');
    service.clock.at = START;
  });
});
