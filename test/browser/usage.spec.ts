import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { plus, SECOND } from '../../src/domain/moment.js';
import {
  cspViolationsOf,
  errorsOf,
  newPage,
  type PageOptions,
  picture,
  violationsOf,
} from '../support/browser/browser.js';
import { overflowOf } from '../support/browser/overflow.js';
import { failedRequest, loggedRequest } from '../support/objects/logged-requests.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  requestNews,
  START,
} from '../support/service/composed.js';

/** The largest page that a phone is sent. */
const BYTES_MAX = 100_000;

describe('The usage page in a browser', function () {
  this.timeout(60_000);
  let service: Composed;
  let holder: Holder;
  let base: string;
  before(async () => {
    service = await composed();
    base = service.url.replace('127.0.0.1', 'localhost');
  });
  after(() => service.stop());
  beforeEach(async () => {
    holder = await keyHolder(service);
  });

  const key = () => holder.key.id;
  const at = (seconds: number) => plus(START, -seconds * SECOND);
  /** 100 requests, every tenth one refused, all with long texts. */
  const fill = () =>
    service.parts.requestLogs.add(
      Array.from({ length: 100 }, (_, i) =>
        (i % 10 === 0 ? failedRequest : loggedRequest)({
          ...{ key: key(), at: at(i), requestId: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}` },
          query: `limit=10&q=${'long'.repeat(100)}`,
        }),
      ),
    );
  const opened = async (path: string, options: PageOptions = {}): Promise<Page> => {
    const page = await newPage(options);
    const { secret } = await service.parts.startSession({ kind: 'account', account: holder.account }, null);
    await page.context().addCookies([{ name: 'oddswire_session', value: secret, url: base }]);
    await page.goto(`${base}${path}`);
    return page;
  };
  const rows = (page: Page) => page.locator('#request-log tbody tr').count();

  it('is accessible, fits 320 px, and is small with a full log', async () => {
    await fill();
    for (const _ of [1, 2]) await requestNews(service, holder.value);
    for (const width of [320, 1440]) {
      const page = await opened('/dashboard/usage', { viewport: { width, height: 900 } });
      expect(await rows(page)).to.equal(100);
      expect(await violationsOf(page), `${width} px`).to.deep.equal([]);
      expect(await overflowOf(page), `${width} px`).to.deep.equal([]);
      expect((await page.content()).length).to.be.below(BYTES_MAX);
      expect([await cspViolationsOf(page), await errorsOf(page)]).to.deep.equal([[], []]);
      await picture(page, `usage-log-${width}.png`);
    }
  });

  it('shows rows of 32 px', async () => {
    await fill();
    const page = await opened('/dashboard/usage');
    const height = await page
      .locator('#request-log tbody tr')
      .first()
      .evaluate((row) => row.getBoundingClientRect().height);
    expect(Math.round(height)).to.be.within(32, 34);
  });

  it('shows the values of the bar under the cursor', async () => {
    for (const _ of [1, 2, 3]) await requestNews(service, holder.value);
    await service.line(({ key_id }) => key_id === key());
    const page = await opened('/dashboard/usage');
    await page.waitForSelector('.chart canvas');
    expect(await page.innerText('.chart-values')).to.equal('All: 2xx 3 · 3xx 0 · 4xx 0 · 5xx 0');
    const box = await page.locator('.chart .u-over').boundingBox();
    if (box === null) throw new Error('the chart has no area');
    await page.mouse.move(box.x + box.width - 10, box.y + 50);
    expect(await page.innerText('.chart-values')).to.equal('03-01 12:00: 2xx 3 · 3xx 0 · 4xx 0 · 5xx 0');
    expect(await page.isVisible('#usage')).to.equal(false);
  });

  it('draws the chart for a browser whose language has no number format', async () => {
    await requestNews(service, holder.value);
    await service.line(({ key_id }) => key_id === key());
    const page = await opened('/dashboard/usage');
    await page.addInitScript(
      "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    );
    await page.reload();
    await page.waitForSelector('.chart canvas');
    const { width } = (await page.locator('.chart .u-wrap').boundingBox()) ?? expect.fail();
    expect(width).to.be.greaterThan(500);
  });

  it('shows another key and another range at once', async () => {
    const page = await opened('/dashboard/usage?range=7d');
    expect(await page.isVisible('button:text("Show")')).to.equal(false);
    await page.selectOption('#key', key());
    await page.waitForURL(`**/dashboard/usage?range=7d&key=${key()}`);
    await page.click('nav[aria-label="Range"] >> text=30d');
    await page.waitForURL(`**/dashboard/usage?range=30d&key=${key()}`);
    expect(await page.inputValue('#key')).to.equal(key());
  });

  it('copies a request id', async () => {
    await fill();
    const page = await opened('/dashboard/usage?failed=1', { clipboard: true });
    expect(await rows(page)).to.equal(10);
    expect(await page.locator('#request-log td[data-copy]').first().innerText()).to.match(
      /^00000000 ?\s*Copy$/,
    );
    expect(await page.locator('#request-log thead').innerText()).to.match(/^Time\s+Status\s+Request\s+Code/);
    await page.locator('#request-log button').first().click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.match(
      /^00000000-0000-4000-8000-0+$/,
    );
  });

  it('shows a new request without reloading', async () => {
    const page = await opened('/dashboard/usage');
    expect(await rows(page)).to.equal(0);
    await requestNews(service, holder.value, {}, '?limit=0');
    await page.waitForSelector('#request-log >> text=invalid_parameter');
    expect(await rows(page)).to.equal(1);
    await page.waitForSelector('#request-log button');
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('works without scripts', async () => {
    await fill();
    await requestNews(service, holder.value);
    await service.line(({ key_id }) => key_id === key());
    const page = await opened('/dashboard/usage', { javaScriptEnabled: false });
    expect(await page.isVisible('#usage')).to.equal(true);
    await page.selectOption('#key', key());
    await page.click('button:text("Show")');
    await page.waitForURL(`**/dashboard/usage?range=24h&key=${key()}`);
    await page.click('text=Failed only');
    expect(await rows(page)).to.equal(10);
    await page.click('#request-log >> text=rate_limited >> nth=0');
    await page.waitForURL('**/docs/errors#rate_limited');
  });
});
