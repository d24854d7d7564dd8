import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newPage } from '../support/browser/browser.js';
import { market, publication, subMarket } from '../support/objects/builders.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';
import { freshDatabase } from '../support/servers/postgres.js';
import { reservedPort } from '../support/servers/reserved-port.js';
import { redisUrl, serverUrl } from '../support/servers/stores.js';
import { publishAll, unique } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  serviceOf,
} from '../support/service/running-service.js';
import { until } from '../support/until.js';

/** The feed page while news is published, in a browser, on two instances over Postgres and Redis. */
describe('The open feed page', function () {
  this.timeout(90_000);
  let mail: MailServer;
  let settings: Readonly<Record<string, string>>;
  let first: Instance;
  let other: Instance;
  let client: Client;
  before(async () => {
    mail = await startMailServer();
    settings = { ...mail.settings, DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
    const port = String(await reservedPort());
    settings = { ...settings, PORT: port };
    first = await launchInstance(settings).listening;
    other = await launchInstance({ ...settings, PORT: '0' }).listening;
    client = await Client.of(serviceOf(other) as Service);
  });
  after(async () => {
    await Promise.all([first.stop(), other.stop()]);
    await mail.stop();
  });

  const publish = (...ids: readonly string[]) =>
    publishAll(
      client,
      ids.map((id) => publication({ id, related_markets: [market(`m-${id}`, subMarket(`s-${id}`))] })),
    );
  const opened = async (query = ''): Promise<Page> => {
    const page = await newPage();
    const email = `${unique()}@example.org`;
    const base = first.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${base}/dashboard`);
    await page.fill('#email', email);
    await page.click('text=Email me a sign-in link');
    const [sent] = await mail.arrived(({ to }) => to === email);
    await page.goto(/http:\S+/.exec(sent?.text ?? '')?.[0].replace('127.0.0.1', 'localhost') ?? '');
    await page.goto(`${base}/dashboard/feed${query}`);
    return page;
  };
  const stateOf = (page: Page) => page.textContent('.live-state');
  const shownIds = (page: Page) =>
    page.$$eval('#items > .card', (cards) => cards.map((card) => card.getAttribute('data-item') ?? ''));

  it('offers what is new, corrects in place and marks what is retracted', async () => {
    await publish('ne_1', 'ne_2');
    const page = await opened();
    await until('Live', () => stateOf(page));
    await publish('ne_3');
    await until('1 new item', () => page.textContent('.pill'));
    expect(await shownIds(page)).to.deep.equal(['ne_2', 'ne_1']);
    await page.click('.pill');
    expect(await shownIds(page)).to.deep.equal(['ne_3', 'ne_2', 'ne_1']);
    expect(await page.isHidden('.pill')).to.equal(true);
    const corrected = publication({ id: 'ne_1' });
    const news_event = { ...corrected.news_event, headline: 'A corrected headline' };
    await publishAll(client, [{ ...corrected, news_event }]);
    await until(true, async () =>
      (await page.innerText('[data-item="ne_1"]')).includes('A corrected headline'),
    );
    expect(await page.innerText('[data-item="ne_1"] .badge')).to.equal('Corrected');
    await client.retract('ne_2');
    await until('Retracted', () =>
      page.textContent('[data-item="ne_2"] .badge', { timeout: 100 }).catch(() => ''),
    );
    await publish('ne_4');
    await client.retract('ne_4');
    await publish('ne_5');
    await until('1 new item', () => page.textContent('.pill'));
  });

  it('misses nothing and doubles nothing while its instance is restarted', async () => {
    const page = await opened('?market=s-ne_mine&source_tier=t1,t2');
    await until('Live', () => stateOf(page));
    await first.stop();
    await until('Reconnecting…', () => stateOf(page));
    await publish('ne_elsewhere', 'ne_mine');
    first = await launchInstance(settings).listening;
    await until('Live', () => stateOf(page));
    await until('1 new item', () => page.textContent('.pill'));
    await page.click('.pill');
    expect(await shownIds(page)).to.deep.equal(['ne_mine']);
    const reloaded = async () => {
      await page.reload();
      return shownIds(page);
    };
    expect(await reloaded()).to.deep.equal(['ne_mine']);
  });

  it('is moved through and unfolded by keys, and filtered by one choice', async () => {
    await publish('ne_k1', 'ne_k2');
    const page = await opened();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-item'));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).to.equal('ne_k1');
    await page.keyboard.press('k');
    expect(await focused()).to.equal('ne_k2');
    await page.keyboard.press('o');
    expect(await page.isVisible('[data-item="ne_k2"] details p >> nth=0')).to.equal(true);
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('feed-q');
    await page.keyboard.type('jo/k');
    expect(await page.inputValue('#feed-q')).to.equal('jo/k');
    await page.fill('#feed-q', '');
    await page.selectOption('#feed-source_tier', 't2');
    await page.waitForURL(/source_tier=t2/);
    expect(await page.innerText('main')).to.include('source tier: t2');
  });
});
