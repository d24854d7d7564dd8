// Longer than 300 lines: the journeys share one service and one mail server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { cspViolationsOf, errorsOf, newPage } from '../support/browser/browser.js';
import { market, publication, subMarket } from '../support/objects/builders.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';
import { advance, aKey, publishAll, unique } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { aCustomer } from '../support/service/processor-customer.js';
import { type Service, startService } from '../support/service/running-service.js';
import { until } from '../support/until.js';

const KEY = /svc_[A-Za-z0-9_-]{43}/;

/** User journeys in a real browser, against the service as `npm start` runs it. */
describe('The dashboard in a browser', function () {
  this.timeout(90_000);
  let mail: MailServer;
  let service: Service;
  let client: Client;
  let base: string;
  before(async () => {
    mail = await startMailServer();
    service = await startService({ ...mail.settings, LOG_LEVEL: 'debug' });
    client = await Client.of(service);
    base = service.instances[0]?.url.replace('127.0.0.1', 'localhost') ?? '';
  });
  after(async () => {
    await service.stop();
    await mail.stop();
  });

  const linkTo = async (email: string): Promise<string> => {
    const emails = await mail.arrived(({ to, subject }) => to === email && subject.includes('sign-in link'));
    return /http:\S+/.exec(emails.at(-1)?.text ?? '')?.[0] ?? '';
  };
  const signIn = async (page: Page, email = `${unique()}@example.org`): Promise<string> => {
    await page.goto(`${base}/dashboard`);
    await page.fill('#email', email);
    await page.click('text=Email me a sign-in link');
    await page.goto(await linkTo(email));
    return email;
  };
  const status = async (key: string): Promise<number> => (await client.news(key, '?limit=1')).status;
  const textOf = (page: Page): Promise<string> => page.innerText('main');

  it('leads from an email address to the first 200 in three clicks and one copy', async () => {
    const page = await newPage({ clipboard: true });
    let clicks = 0;
    const click = async (title: string) => {
      clicks += 1;
      await page.click(`text=${title}`);
    };
    const email = `${unique()}@example.org`;
    await page.goto(`${base}/dashboard`);
    await page.fill('#email', email);
    await click('Email me a sign-in link');
    clicks += 1; // The link in the email.
    await page.goto(await linkTo(email));
    await click('Create key');
    await page.click('text=Copy curl command');
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(clicks).to.equal(3);

    const [, header = '', url = ''] = /^curl -H '([^']+)' '([^']+)'$/.exec(line) ?? [];
    const [name = '', value = ''] = header.split(': ');
    expect((await fetch(url, { headers: { [name]: value } })).status).to.equal(200);
    expect(await page.innerText('[data-copies=curl]')).to.equal('Copied');
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('shows a key once: not after reload or back, and stores it nowhere', async () => {
    const page = await newPage();
    await signIn(page);
    await page.click('text=Create key');
    const key = await page.innerText('#key-value');
    expect(await status(key)).to.equal(200);
    expect(page.url()).not.to.include(key);
    // A browser does this to a page that it keeps in the back/forward cache.
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    expect(await page.innerText('main')).not.to.match(KEY);
    await page.reload();
    expect(await page.content()).not.to.match(KEY);
    await page.goto(`${base}/dashboard/keys`);
    await page.goBack();
    expect(await page.content()).not.to.match(KEY);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).to.equal('[{},{},""]');
    expect(await page.evaluate<number>('caches.keys().then((names) => names.length)')).to.equal(0);
    const output = service.instances.flatMap((instance) => instance.output).join('\n');
    expect(output).not.to.include(key.slice(12));
  });

  it('rotates a key with both keys on the page, and counts down the grace of the old one', async () => {
    const page = await newPage();
    await signIn(page);
    await page.click('text=Create key');
    const old = await page.innerText('#key-value');
    await page.click('main a:text("Done")');
    await page.click('.keys >> text=Rotate');
    await page.click('text=Create new key');
    const fresh = await page.innerText('#key-value');
    await page.click('text=Continue rotation');
    expect(await textOf(page)).to.match(/Old key[\s\S]*Never[\s\S]*New key[\s\S]*Never/);
    // The key is used: the page shows that without a reload.
    await status(old);
    await page.waitForSelector('text=Requests today: 1');
    // Polling requests are logged at debug.
    expect(await service.instances[0]?.line('"level":20')).to.match(/"route":"\/dashboard\/keys/);
    expect(await status(fresh)).to.equal(200);
    await page.click('text=Retire old key');
    const first = await page.innerText('.countdown');
    expect(first).to.match(/^(5:00|4:5\d)$/);
    await page.locator('.countdown', { hasNotText: first }).waitFor();
    expect(await status(old)).to.equal(200);
    await advance(client, 300);
    await page.reload();
    expect(await textOf(page)).to.include('now return 401');
    expect([await status(old), await status(fresh)]).to.deep.equal([401, 200]);
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('explains the 402 after a failed dunning, and clears it after the payment', async () => {
    const customer = await aCustomer(client);
    const page = await newPage();
    await signIn(page, `${customer.customer}@example.org`);
    const invoice = `in_${unique()}`;
    await customer.tells('past_due');
    for (const attempts of [1, 2, 3]) await customer.fails(attempts, invoice);
    await page.goto(`${base}/dashboard/subscription`);
    expect(await textOf(page)).to.match(
      /Access ends on \d+ \w+(?: \d+)? at the latest[\s\S]*Failed attempts[\s\S]*\s3\s/,
    );
    expect(await status(customer.key.key)).to.equal(200);
    for (const attempts of [4, 5]) await customer.fails(attempts, invoice);
    await page.reload();
    expect(await textOf(page))
      .to.include('Requests with your keys return 402.')
      .and.include('Pay every open invoice');
    await page.click('nav >> text=Keys');
    expect(await textOf(page))
      .to.include('Suspended (402)')
      .and.include('An invoice was not paid in time.');
    expect(await page.isVisible('text=Create key')).to.equal(false);
    expect(await status(customer.key.key)).to.equal(402);
    await advance(client, 1);
    await customer.pays(invoice);
    await customer.tells('active');
    await page.reload();
    expect(await textOf(page)).not.to.match(/\b402\b/);
    await page.click('nav >> text=Plan');
    expect(await page.innerText('.heading .badge')).to.match(/^\w+ · Active$/);
    expect(await status(customer.key.key)).to.equal(200);
  });

  it('rejects a form that another site submits with the session of the user', async () => {
    const page = await newPage();
    await signIn(page);
    const token = await page.getAttribute('main [name=form_token]', 'value');
    const evil = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<form method="post" action="${base}/dashboard/keys">
        <input name="form_token" value="${token}"><input name="seen" value=""><button>Win</button></form>`);
    });
    await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
    const elsewhere = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
    await page.goto(elsewhere);
    const [answer] = await Promise.all([
      page.waitForResponse(`${base}/dashboard/keys`),
      page.click('text=Win'),
    ]);
    expect(answer.status()).to.equal(403);
    evil.closeAllConnections();
    await new Promise((done) => evil.close(done));
    await page.goto(`${base}/dashboard/keys`);
    expect(await textOf(page)).to.include('You have no keys yet');
  });

  it('rejects a form of its own page with a forged token', async () => {
    const page = await newPage();
    await signIn(page);
    await page.evaluate("document.querySelector('main [name=form_token]').value = 'forged'");
    await page.click('text=Create key');
    expect(await textOf(page))
      .to.include('Form rejected')
      .and.include('Nothing was changed');
    await page.goto(`${base}/dashboard/keys`);
    expect(await textOf(page)).to.include('You have no keys yet');
  });

  it('answers 404 for a key of another account', async () => {
    const other = await aKey(client);
    const page = await newPage();
    await signIn(page);
    await page.click('text=Create key');
    await page.click('main a:text("Done")');
    const answer = await page.goto(`${base}/dashboard/keys/${other.key_id}/revocation`);
    expect(answer?.status()).to.equal(404);
    await page.goBack();
    await page.click('.row-menu summary');
    await page.click('text=Revoke…');
    const action = `/dashboard/keys/${other.key_id}/revocation`;
    await page.evaluate(`document.querySelector('main form').action = '${action}'`);
    await page.click('text=Revoke key');
    expect(await textOf(page)).to.include('you do not have access to it');
    expect(await status(other.key)).to.equal(200);
  });

  it('does not accept the cookie of a session after sign-out', async () => {
    const page = await newPage();
    await signIn(page);
    const cookies = await page.context().cookies();
    for (const selector of ['.account summary', 'text=Sign out everywhere…', 'main button'])
      await page.click(selector);
    await page.context().addCookies(cookies);
    await page.goto(`${base}/dashboard/keys`);
    expect(page.url()).to.equal(`${base}/dashboard/sign-in`);
  });

  it('works without scripts, from the first page to a rotated key', async () => {
    const page = await newPage({ javaScriptEnabled: false });
    await signIn(page);
    await page.fill('#label', 'scriptless');
    await page.click('text=Create key');
    expect(await page.isVisible('text=Copy key')).to.equal(false);
    const old = await page.innerText('#key-value');
    await page.click('main a:text("Done")');
    await page.click('.keys >> text=Rotate');
    await page.click('text=Create new key');
    await page.click('text=Continue rotation');
    await page.click('text=Retire old key');
    expect(await page.innerText('.countdown')).to.match(/^(5:00|4:5\d)$/);
    await page.goto(`${base}/dashboard/usage`);
    expect(await page.isVisible('text=Last requests')).to.equal(true);
    expect(await status(old)).to.equal(200);
  });

  it('suggests markets while one types, and leads to the page of the market that is chosen', async () => {
    const ofAMarket = publication({ id: 'ne_market', related_markets: [market('m', subMarket('mayor'))] });
    await publishAll(client, [ofAMarket]);
    const page = await newPage();
    await signIn(page);
    await until(true, async () => {
      await page.goto(`${base}/dashboard/markets`);
      return (await textOf(page)).includes('Will mayor happen?');
    });
    const field = page.locator('#market-search');
    await field.pressSequentially('may');
    await page.locator('datalist option[value="Will mayor happen?"]').waitFor({ state: 'attached' });
    // Typing the title of a suggestion leads nowhere: it may be the beginning of another one.
    await field.fill('Will mayor happen?');
    expect(page.url()).to.match(/\/dashboard\/markets$/);
    // What a browser sends when an option is chosen. The list itself is outside the page.
    const chosen = "new InputEvent('input', { inputType: 'insertReplacementText', bubbles: true })";
    await page.evaluate(`document.getElementById('market-search').dispatchEvent(${chosen})`);
    await page.waitForURL('**/dashboard/markets/mayor');
    expect(await textOf(page)).to.include('61.0¢');
    expect(await errorsOf(page)).to.deep.equal([]);
    expect(await cspViolationsOf(page)).to.deep.equal([]);
  });

  it('can be used by keyboard alone', async () => {
    const page = await newPage();
    await signIn(page);
    const press = async (key: string, times = 1) => {
      for (let i = 0; i < times; i += 1) await page.keyboard.press(key);
    };
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.innerText || document.activeElement.id || document.activeElement.tagName',
      );
    await press('Tab');
    expect(await focused()).to.equal('Skip to content');
    const links = ['Oddswire', 'Feed', 'Markets', 'Keys', 'Usage', 'Destinations', 'Plan'];
    const order = [...links, await page.innerText('.account summary'), 'label', 'Create key'];
    const seen: string[] = [];
    for (const _ of order) {
      await press('Tab');
      seen.push(await focused());
    }
    expect(seen).to.deep.equal(order);
    await press('Enter');
    await page.waitForSelector('#key-value');
    expect(await status(await page.innerText('#key-value'))).to.equal(200);
  });

  it('draws its charts without violating the content security policy', async () => {
    const page = await newPage();
    await signIn(page);
    await page.click('text=Create key');
    await status(await page.innerText('#key-value'));
    await page.goto(`${base}/dashboard/usage`);
    await page.waitForSelector('.chart canvas');
    expect(await page.locator('.chart canvas').count()).to.equal(1);
    expect([await cspViolationsOf(page), await errorsOf(page)]).to.deep.equal([[], []]);
  });
});
