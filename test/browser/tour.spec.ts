// Longer than 300 lines: one tour opens every page.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { StoryFeed } from '../../src/commands/demo/stories/story-feed.js';
import type { Moment } from '../../src/domain/moment.js';
import { newPage } from '../support/browser/browser.js';
import { LIGHT, NARROW, Tour, VIEWS } from '../support/browser/tour.js';
import { stripeEvent, stripeSubscription } from '../support/objects/stripe-objects.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';
import { advance, ndjson, unique } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { aCustomer } from '../support/service/processor-customer.js';
import { type Instance, launchDemo, type Service, startService } from '../support/service/running-service.js';

describe('Every page of the dashboard, wide, narrow and dark,', function () {
  this.timeout(120_000);
  let mail: MailServer;
  let service: Service;
  let client: Client;
  let base: string;
  before(async () => {
    mail = await startMailServer();
    service = await startService(mail.settings);
    client = await Client.of(service);
    base = service.instances[0]?.url.replace('127.0.0.1', 'localhost') ?? '';
    const items = new StoryFeed().backlog((await client.time()) as Moment);
    await client.publish(ndjson(items), '?mode=backfill');
  });
  after(async () => {
    await service.stop();
    await mail.stop();
  });

  const linkTo = async (email: string): Promise<string> => {
    const [message] = await mail.arrived(({ to, subject }) => to === email && subject.includes('sign-in'));
    return /http:\S+/.exec(message?.text ?? '')?.[0] ?? '';
  };
  /** Sends requests over several hours, for the charts. */
  const use = async (key: string) => {
    for (const requests of [3, 9, 14, 6, 11]) {
      await Promise.all(
        Array.from({ length: requests }, (_, i) => client.news(key, i % 4 === 3 ? '?limit=0' : '?limit=1')),
      );
      await advance(client, 3_600);
    }
    await client.news(key, '?limit=1');
  };

  it('is accessible, has no errors and is small', async () => {
    const page = await newPage(NARROW);
    const tour = new Tour(page, VIEWS);
    const customer = await aCustomer(client);
    const email = `${customer.customer}@example.org`;
    await tour.goTo(`${base}/dashboard`);
    await tour.observe('sign-in');
    await page.fill('#email', email);
    await page.click('text=Email me a sign-in link');
    await tour.observe('link-sent');
    const link = await linkTo(email);
    const elsewhere = await newPage(NARROW);
    const other = new Tour(elsewhere, VIEWS);
    await other.goTo(link);
    await other.observe('confirm-link');
    await tour.goTo(link);
    await tour.observe('keys-one');
    await use(customer.key.key);

    await page.reload();
    await page.fill('#label', 'production');
    await page.click('text=Create key');
    await tour.observe('new-key');
    await page.click('main a:text("Done")');
    await page.locator('.keys >> text=Rotate').last().click();
    await tour.observe('rotation-begin');
    await page.click('text=Create new key');
    await page.click('text=Continue rotation');
    await tour.observe('rotation-deploy');
    const rotation = page.url();
    await tour.goTo(rotation.replace(/rotation$/, 'first-request'));
    await tour.observe('first-request');
    await tour.goTo(rotation);
    await page.click('text=Retire old key');
    await tour.observe('rotation-retired');
    await page.click('text=Back to keys');
    await tour.observe('keys');
    await page.locator('main tbody th a').first().click();
    await page.waitForSelector('text=Save changes');
    await tour.observe('key');
    await page.fill('#addresses', '203.0.113.0/24\nhome');
    await page.click('text=Save changes');
    await page.waitForSelector('text=Nothing was changed.');
    await tour.observe('key-refused');
    await page.click('text=Back to keys');
    await page.click('text=Expiry and allowed addresses');
    await tour.observe('keys-panel');
    await page.locator('.row-menu summary').first().click();
    await tour.observe('key-menu');
    await page.locator('text=Revoke…').first().click();
    await tour.observe('revocation');
    for (const name of ['usage', 'feed', 'markets', 'subscription']) {
      await tour.goTo(`${base}/dashboard/${name}`);
      await tour.observe(name);
    }
    await tour.goTo(`${base}/dashboard/markets`);
    await page.locator('tbody a[href^="/dashboard/markets/"]:not([href*="kind=main"])').first().click();
    await page.waitForSelector('h2:has-text("News")');
    await tour.observe('market');
    await tour.goTo(`${base}/dashboard/destinations`);
    await page.fill('#label', 'newsroom');
    await page.check('#kind-webhook');
    await page.fill('#address', 'https://example.com/hook');
    await page.fill('#filter', 'q=interest+rate');
    await page.click('text=Create destination');
    await page.waitForSelector('#secret');
    await tour.observe('new-destination');
    await page.click('text=View newsroom');
    await tour.observe('destination');
    await page.click('text=Rotate secret');
    await page.waitForSelector('text=I have copied the secret');
    await tour.observe('new-secret');
    await page.click('text=I have copied the secret');
    await page.locator('main >> text=Remove').first().click();
    await tour.observe('destination-removal');
    await tour.goTo(`${base}/dashboard/destinations`);
    await tour.observe('destinations');
    await tour.goTo(`${base}/dashboard/subscription`);
    const invoice = `in_${unique()}`;
    await customer.tells('past_due');
    for (const attempts of [1, 2, 3]) await customer.fails(attempts, invoice);
    await page.reload();
    await tour.observe('subscription-dunning');
    for (const attempts of [4, 5]) await customer.fails(attempts, invoice);
    await page.reload();
    await tour.observe('subscription-stopped');
    await tour.goTo(`${base}/dashboard/keys`);
    await tour.observe('keys-stopped');
    await tour.goTo(`${base}/dashboard/nothing`);
    await tour.observe('nothing-here');
    expect([...tour.faults, ...other.faults]).to.deep.equal([]);
  });

  it('is accessible, has no errors and is small in the operator console', async () => {
    const page = await newPage(NARROW);
    const tour = new Tour(page, VIEWS);
    const customer = await aCustomer(client);
    const invoice = `in_${unique()}`;
    await customer.tells('past_due');
    for (const attempts of [1, 2]) await customer.fails(attempts, invoice);
    await client.deliver(stripeEvent('invoice.payment_failed', { id: 'in_without_a_customer' }));

    await tour.goTo(`${base}/operator`);
    await tour.observe('operator-sign-in');
    await page.fill('#token', service.tokens.operator);
    await page.click('text=Sign in');
    await tour.observe('operator');
    await page.fill('#q', `${customer.customer}@example.org`);
    await page.click('button:text("Search")');
    await tour.observe('operator-account');
    await page.click('summary:text("Actions")');
    await page.click('text=Hold subscription');
    await tour.observe('operator-act');
    await page.fill('#reason', 'asked for by the owner');
    await page.click('button:text("Hold subscription")');
    expect(await page.innerText('main')).to.include('The subscription is on hold');
    await tour.observe('operator-account-held');
    for (const tab of ['Keys', 'Usage', 'Destinations', 'Audit', 'Payments']) {
      await page.click(`.tabs >> text=${tab}`);
      await tour.observe(`operator-account-${tab.toLowerCase()}`);
    }
    await page.locator('tr', { hasText: 'invoice.payment_failed' }).locator('a').first().click();
    await page.waitForSelector('h1:has-text("Payment event")');
    await tour.observe('operator-payment-event');
    await page.click('nav >> text=Payment events');
    await tour.observe('operator-payment-events');
    const unknown = `cus_${unique()}`;
    const waiting = stripeEvent('customer.subscription.updated', stripeSubscription({ customer: unknown }));
    await client.deliver(waiting);
    await tour.goTo(`${base}/operator/payment-events/${waiting.id}`);
    await page.fill('#account', 'nobody@example.org');
    await page.click('button:text("Continue")');
    await tour.observe('operator-waiting-event');
    await page.fill('#account', `${customer.customer}@example.org`);
    await page.click('button:text("Continue")');
    await tour.goTo(`${base}/operator/purges`);
    await tour.observe('operator-purges');
    await tour.goTo(`${base}/operator/destinations`);
    await tour.observe('operator-destinations');
    expect(tour.faults).to.deep.equal([]);
  });
});

describe('An operator in a browser', function () {
  this.timeout(120_000);
  let service: Service;
  let base: string;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    base = service.instances[0]?.url.replace('127.0.0.1', 'localhost') ?? '';
    const items = new StoryFeed().backlog((await client.time()) as Moment).slice(0, 1);
    await client.publish(ndjson(items), '?mode=backfill');
  });
  after(() => service.stop());

  const signedIn = async (page: Page) => {
    const tour = new Tour(page, VIEWS);
    await tour.goTo(`${base}/operator`);
    await page.fill('#token', service.tokens.operator);
    await page.click('text=Sign in');
    await page.waitForSelector('h1:has-text("Console")');
    return tour;
  };

  it('opens an account, creates its key and changes its plan', async () => {
    const page = await newPage(NARROW);
    const tour = await signedIn(page);
    await page.click('text=Open account');
    await tour.observe('operator-open-account');
    await page.fill('#email', 'opened@example.org');
    await page.selectOption('#plan', 'builder');
    await page.fill('#reason', 'a contract');
    await page.click('button:text("Open account")');
    await page.waitForSelector('text=The account is open.');
    await page.click('summary:text("Actions")');
    await page.click('text=Create key');
    await tour.observe('operator-create-key');
    await page.fill('#reason', 'asked for');
    await page.click('button:text("Create key")');
    await page.waitForSelector('#key-value');
    expect(await page.innerText('#key-value')).to.match(/^svc_/);
    await tour.observe('operator-key-created');
    await page.click('text=I have copied the key');
    await page.click('.tabs >> text=Overview');
    await page.click('summary:text("Actions")');
    await page.click('text=Change plan');
    await page.selectOption('#to', 'pro');
    await page.click('text=Show effect');
    await page.waitForSelector('h2:has-text("Effect of the plan Pro")');
    await tour.observe('operator-change-plan');
    await page.fill('#reason', 'an upgrade');
    await page.click('button:text("Change to Pro")');
    await page.waitForSelector('text=The plan is changed.');
    for (const name of ['Plans', 'Ingestion']) {
      await page.click(`nav >> text=${name}`);
      await page.waitForSelector(`h1:has-text("${name}")`);
      await tour.observe(`operator-${name.toLowerCase()}`);
    }
    expect(tour.faults).to.deep.equal([]);
  });

  it('finds an item, corrects its headline and retracts it', async () => {
    const page = await newPage(NARROW);
    const tour = await signedIn(page);
    const [item] = new StoryFeed().backlog((await client.time()) as Moment);
    await page.fill('#q', item?.news_event.id ?? '');
    await page.click('button:text("Search")');
    await page.waitForSelector('h1:has-text("Item")');
    await tour.observe('operator-item');
    await page.click('text=Correct item');
    await tour.observe('operator-correct-item');
    const json = JSON.parse(await page.inputValue('#json')) as { readonly news_event: object };
    const news_event = { ...json.news_event, headline: 'A corrected headline' };
    await page.fill('#json', JSON.stringify({ ...json, news_event }, null, 2));
    await page.click('text=Show differences');
    await page.waitForSelector('h1:has-text("Publish correction")');
    await tour.observe('operator-publish-correction');
    await page.fill('#reason', 'a typing error');
    await page.click('button:text("Publish correction")');
    await page.waitForSelector('text=The correction is published.');
    expect(await page.innerText('main'))
      .to.include('A corrected headline')
      .and.include('news_event.headline');
    await page.click('text=Retract item');
    await tour.observe('operator-retract-item');
    await page.check('#sure');
    await page.fill('#reason', 'a wrong source');
    await page.click('button:text("Retract item")');
    await page.waitForSelector('text=The item is retracted.');
    await tour.observe('operator-item-retracted');
    expect(tour.faults).to.deep.equal([]);
  });
});

const OPERATOR_TOKEN = 'operator-token-of-the-tests';

/** Opens the bar of the demo, and clicks one of its buttons. */
async function simulate(page: Page, title: string): Promise<void> {
  await page.click('.demo-bar summary');
  await page.click(`.demo-bar >> text=${title}`);
}

describe('The dashboard of the demo in a browser', function () {
  this.timeout(90_000);
  let instance: Instance;
  let base: string;
  before(async () => {
    instance = await launchDemo({ OPERATOR_TOKEN }).listening;
    await instance.line('Open the dashboard (sign in with one click)');
    base = instance.url.replace('127.0.0.1', 'localhost');
  });
  after(() => instance.stop());

  it('gives a visitor of the Free plan a key, and an operator a session after two weeks', async () => {
    const page = await newPage(LIGHT);
    await page.goto(`${base}/dashboard`);
    await page.click('button >> text=Free: 1 key');
    await page.click('.demo-bar summary');
    expect(await page.innerText('.demo-bar')).to.include('Rotate that key to get a value here.');
    await page.locator('.keys >> text=Rotate').first().click();
    expect(await page.innerText('main')).to.include('A retired key works for 5 more minutes.');
    await page.click('text=Create new key');
    const headers = { Authorization: `Bearer ${await page.innerText('#key-value')}` };
    expect((await fetch(`${base}/pm/v2/news?limit=1`, { headers })).status).to.equal(200);
    await page.goto(`${base}/dashboard/keys`);
    await simulate(page, 'Advance 14 days');
    await page.goto(`${base}/operator`);
    await page.fill('#token', OPERATOR_TOKEN);
    await page.click('text=Sign in');
    await page.waitForSelector('nav >> text=Payment events');
  });

  it('signs in with one click, and its controls cause and clear a 402', async () => {
    const page = await newPage(LIGHT);
    const tour = new Tour(page, [LIGHT]);
    await tour.goTo(`${base}/dashboard`);
    await tour.observe('demo-sign-in');
    await page.click('button >> text=Pro: 5 keys');
    await page.click('text=Create key');
    const key = await page.innerText('#key-value');
    const status = async () =>
      (await fetch(`${base}/pm/v2/news?limit=1`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await status()).to.equal(200);
    await page.click('nav >> text=Plan');
    await simulate(page, 'Fail a payment');
    expect(await page.innerText('main')).to.include('Your keys still work.');
    await tour.observe('demo-subscription');
    expect(await status()).to.equal(200);
    await simulate(page, 'Advance 14 days');
    expect(await page.innerText('main')).to.include('Requests with your keys return 402.');
    expect(await status()).to.equal(402);
    await simulate(page, 'Pay all invoices');
    expect(await page.innerText('.heading .badge')).to.equal('Pro · Active');
    expect(await status()).to.equal(200);
    await simulate(page, 'Cancel subscription');
    expect(await page.innerText('main')).to.include('The subscription has ended');
    expect(await status()).to.equal(401);
    await page.click('nav >> text=Keys');
    for (const title of ['Advance 5 minutes', 'Advance 1 day']) await simulate(page, title);
    expect(await page.innerText('h1')).to.equal('Keys');
    expect(tour.faults).to.deep.equal([]);
  });
});
