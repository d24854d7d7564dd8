import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { AccountId } from '../../src/domain/accounts/account.js';
import type { PlanName } from '../../src/domain/billing/plan.js';
import { errorsOf, newPage } from '../support/browser/browser.js';
import { overflowOf } from '../support/browser/overflow.js';
import { LIGHT, Tour, VIEWS } from '../support/browser/tour.js';
import { openInvoice } from '../support/objects/builders.js';
import {
  type Composed,
  composed,
  keyHolder,
  requestNews,
  rewrite,
  START,
} from '../support/service/composed.js';

const SETTINGS = {
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
  STRIPE_PAYMENT_LINK: 'https://buy.stripe.com/test_9AQ',
  SUPPORT_CONTACT: 'mailto:help@example.com',
};

/** What customers come for, counted in clicks. */
describe('A task of a customer in the browser', function () {
  this.timeout(90_000);
  let service: Composed;
  let base: string;
  let portal: Server;
  let paying: AccountId;
  let returnUrl = '';
  before(async () => {
    // The pages of the payment processor: one button, which pays.
    portal = createServer((request, response) => {
      if (request.method === 'POST')
        void pay().then(() => response.writeHead(303, { Location: returnUrl }).end());
      else
        response
          .setHeader('Content-Type', 'text/html')
          .end('<form method="post"><button>Pay</button></form>');
    });
    await new Promise<void>((done) => portal.listen(0, '127.0.0.1', done));
    const portalUrl = `http://127.0.0.1:${(portal.address() as AddressInfo).port}/`;
    service = await composed(SETTINGS, ({ accounts }) => ({
      billingPortal: () => ({
        emailOf: async () => (await accounts.find(paying))?.email ?? null,
        open: async (_, back) => {
          returnUrl = back;
          return portalUrl;
        },
      }),
    }));
    base = service.url.replace('127.0.0.1', 'localhost');
  });
  after(async () => {
    portal.closeAllConnections();
    await new Promise((done) => portal.close(done));
    await service.stop();
  });

  const pay = () =>
    rewrite(service, paying, (account) => ({
      ...account,
      dunning: [],
      subscription: { ...account.subscription, suspension: { status: 'active' } },
    }));
  const owe = () =>
    rewrite(service, paying, (account) => ({
      ...account,
      processorCustomerId: `cus_${paying}`,
      dunning: [openInvoice({ firstFailedAt: START })],
      subscription: {
        ...account.subscription,
        suspension: { status: 'suspended', causes: ['payment_failure'] },
      },
    }));
  const signedIn = async (plan: PlanName, options: Parameters<typeof newPage>[0] = {}) => {
    const holder = await keyHolder(service, plan);
    const page = await newPage(options);
    const { secret } = await service.parts.startSession({ kind: 'account', account: holder.account }, null);
    await page.context().addCookies([{ name: 'oddswire_session', value: secret, url: base }]);
    await page.goto(`${base}/dashboard/keys`);
    return { holder, page };
  };
  /** Clicks, and counts them. */
  const clicksOn = (page: Page) => {
    const clicks = {
      count: 0,
      on: async (selector: string) => {
        clicks.count += 1;
        await page.click(selector);
      },
    };
    return clicks;
  };

  it('a key to the first 200: at most 4 clicks, and the page says that the request was answered', async () => {
    const { page } = await signedIn('pro', { clipboard: true });
    const clicks = clicksOn(page);
    await clicks.on('text=Create key');
    await clicks.on('text=Copy curl command');
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    const [, header = ''] = /^curl -H '([^']+)'/.exec(line) ?? [];
    const [name = '', value = ''] = header.split(': ');
    expect(await page.innerText('#first-request')).to.equal('Waiting for your first request…');
    expect(
      (await fetch(`${service.url}/pm/v2/news?limit=1`, { headers: { [name]: value } })).status,
    ).to.equal(200);
    await page.waitForSelector('#first-request[data-state=answered]');
    expect(await page.innerText('#first-request')).to.equal('✓ 200 at 12:00 UTC');
    // Two more are needed before: for the mail, and for the link in it.
    expect(clicks.count + 2).to.be.at.most(4);
    expect(await page.getAttribute('#first-request', 'role')).to.equal('status');
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('a 402, understood and mended: at most 2 clicks', async () => {
    const { holder, page } = await signedIn('pro');
    paying = holder.account;
    await owe();
    const status = async () => (await requestNews(service, holder.value)).status;
    expect(await status()).to.equal(402);
    await page.reload();
    const clicks = clicksOn(page);
    expect(await page.innerText('#access'))
      .to.include('return 402')
      .and.include('An invoice was not paid in time.');
    await clicks.on('#access >> text=Pay now');
    await clicks.on('text=Pay');
    await page.waitForURL('**/dashboard/subscription');
    expect(await page.innerText('.heading .badge')).to.match(/^\w+ · Active$/);
    expect(await status()).to.equal(200);
    expect(clicks.count).to.be.at.most(2);
  });

  it('has pages that are accessible, and fit every screen in light and dark', async () => {
    const { holder, page } = await signedIn('free', LIGHT);
    const tour = new Tour(page, VIEWS);
    const faults: string[] = [];
    const see = async (path: string, name: string) => {
      await tour.goTo(`${base}${path}`);
      await tour.observe(name);
      faults.push(...(await overflowOf(page)).map((fault) => `${name}: ${fault}`));
    };
    await see('/dashboard/subscription', 'plan-free');
    await page.click('.account summary');
    await tour.observe('account-menu');
    await see('/dashboard/sign-out/everywhere', 'sign-out-everywhere');
    paying = holder.account;
    await owe();
    await see('/dashboard/subscription', 'plan-suspended');
    await see('/dashboard/keys', 'keys-suspended');
    await pay();
    await see('/dashboard/keys', 'keys-exhausted');
    expect([...tour.faults, ...faults]).to.deep.equal([]);
  });

  it('needs no script: from a revoked key to a new one and its first request', async () => {
    const { page } = await signedIn('free', { javaScriptEnabled: false });
    await page.click('.row-menu summary');
    await page.click('text=Revoke…');
    await page.click('main button');
    await page.click('text=Create key');
    const [opened] = await Promise.all([page.waitForEvent('popup'), page.click('main >> text=Check')]);
    await opened.waitForLoadState();
    expect(await opened.innerText('main')).to.include('Waiting for your first request…');
    expect(await page.isVisible('#key-value')).to.equal(true);
    await page.click('main >> a:text("Done")');
    expect(await page.innerText('h1')).to.equal('Keys');
  });
});
