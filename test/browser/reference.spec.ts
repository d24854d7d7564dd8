// Longer than 300 lines: all tests open the public pages of one service.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { CHAPTERS, chapterPath } from '../../src/adapters/reference/chapters.js';
import type { Moment } from '../../src/domain/moment.js';
import { errorsOf, newPage, violationsOf } from '../support/browser/browser.js';
import { overflowOf } from '../support/browser/overflow.js';
import { sampleFeed } from '../support/sample/sample-feed.js';
import { aKey, ndjson } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';

const PAGE_BYTES_MAX = 100_000;
/** Styles, scripts and pictures, which all public pages share. */
const FILES_BYTES_MAX = 33_000;
const PATHS = ['/', '/status', ...CHAPTERS.map(chapterPath), '/docs/search?q=position'];

const MISSING = '/docs/none/at/all';
const IS_DEEP = process.env['DEEP'] !== undefined;

type View = { readonly scheme: 'light' | 'dark'; readonly width: number };

/** Each width in both schemes, widest first. */
const VIEWS: readonly View[] = [1_440, 1_024, 768, 320].flatMap((width) => [
  { scheme: 'light', width },
  { scheme: 'dark', width },
]);
/** Each width once. */
const VIEWS_OF_WIDTHS = VIEWS.filter((_, i) => [0, 3, 4, 7].includes(i));
/** The widest and the narrowest. */
const VIEWS_AT_LEAST = VIEWS.filter((_, i) => [0, 7].includes(i));

/** The views at which a page is checked for accessibility. On long pages a check takes seconds. */
function viewsOf(path: string): readonly View[] {
  if (IS_DEEP || ['/', '/docs', MISSING].includes(path)) return VIEWS;
  return /errors|stream|reference/.test(path) ? VIEWS_OF_WIDTHS : VIEWS_AT_LEAST;
}

/** The left edge of the text in the first element of each selector. */
const leftsOf = (selectors: readonly string[]): string => `${JSON.stringify(selectors)}.map((selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  return [selector, range.getBoundingClientRect().left];
})`;

/** Those of boxes, whose texts are further to the right. */
const leftsOfBoxes = (selectors: readonly string[]): string =>
  `${JSON.stringify(selectors)}.map((selector) => [selector, document.querySelector(selector).getBoundingClientRect().left])`;

const topOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().top`);

describe('The public pages in a browser', function () {
  this.timeout(IS_DEEP ? 600_000 : 120_000);
  let service: Service;
  let client: Client;
  let base: string;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    base = service.instances[0]?.url ?? '';
    await client.publish(ndjson(sampleFeed(3, (await client.time()) as Moment)), '?mode=backfill');
  });
  after(() => service.stop());

  /** The bytes of each file that the page has loaded, by its address. */
  const filesOf = (page: Page): ReadonlyMap<string, Promise<number>> => {
    const files = new Map<string, Promise<number>>();
    page.on('response', (response) => {
      if (files.has(response.url())) return;
      const bytes = response.body().then(
        ({ length }) => length,
        () => 0,
      );
      files.set(response.url(), bytes);
    });
    return files;
  };

  /** Colors do not change the layout, so overflow is checked in one scheme. */
  async function faultsAt(page: Page, { scheme, width }: View, isAccessible: boolean) {
    const faults = scheme === 'light' ? await overflowOf(page, [width]) : [];
    if (!isAccessible) return faults;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    return [...faults, ...(await violationsOf(page))];
  }

  it('are accessible, small and free of errors at every width, light and dark', async () => {
    const faults: string[] = [];
    // One page for all addresses: the scripts and styles, which they share, are loaded once.
    const page = await newPage({ colorScheme: 'light', viewport: { width: 1_440, height: 800 } });
    const files = filesOf(page);
    for (const path of [...PATHS, MISSING]) {
      await page.goto(`${base}${path}`);
      await page.waitForLoadState('load');
      const html = await page.content();
      // The font is loaded once, and texts do not wait for it (`design.spec.ts`).
      const shared = [...files].filter(
        ([address]) =>
          /\/assets\/.+\.(?:css|js|svg)\b/.test(address) && html.includes(`"${address.replace(base, '')}"`),
      );
      const own = (await files.get(`${base}${path}`)) ?? Number.NaN;
      if (!(own <= PAGE_BYTES_MAX)) faults.push(`${path}: ${own} bytes`);
      const sizes = await Promise.all(shared.map(([, bytes]) => bytes));
      const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
      if (!(total <= FILES_BYTES_MAX)) faults.push(`${path}: ${total} bytes of styles and scripts`);
      for (const view of VIEWS) {
        const found = await faultsAt(page, view, viewsOf(path).includes(view));
        faults.push(...found.map((fault) => `${path}, ${view.scheme}, ${view.width} px: ${fault}`));
      }
    }
    faults.push(...(await errorsOf(page)));
    expect(faults).to.deep.equal([]);
  });

  it('have one left edge on a wide screen: header, headline, texts, boxes, plans and footer', async () => {
    const page = await newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${base}/`);
    const texts = [
      ...['.brand', 'h1', '.lead', '.actions', '#ways'],
      ...['#nothing-lost', '#plans', 'footer p'],
    ];
    for (const width of [1_440, 1_024]) {
      await page.setViewportSize({ width, height: 900 });
      const lefts = await page.evaluate<readonly [string, number][]>(leftsOf(texts));
      const boxes = await page.evaluate<typeof lefts>(
        leftsOfBoxes(['.sample', '.code-tab.stream', '.plan-cards']),
      );
      const [[, edge] = ['', 0]] = lefts;
      expect(
        [...lefts, ...boxes].filter(([, left]) => Math.abs(left - edge) > 0.5),
        `${width} px, the edge is at ${edge}`,
      ).to.deep.equal([]);
    }
  });

  it('scroll a table or a sample that is too wide inside itself, and not the page', async () => {
    const page = await newPage({ viewport: { width: 1_024, height: 800 } });
    await page.goto(`${base}/docs/limits`);
    await page.evaluate("document.querySelector('table').style.width = '3000px'");
    await page.evaluate("document.querySelector('pre code').append('x'.repeat(500))");
    expect(await overflowOf(page, [1_024, 800])).to.deep.equal([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(320);
  });

  it('are complete without scripts, except for the forms that send requests', async () => {
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/docs/reference`);
    expect(await page.locator('main').innerText())
      .to.include('GET /pm/v2/news')
      .and.include('Answers');
    expect(await page.locator('[data-try]:visible').count()).to.equal(0);
    await page.goto(`${base}/docs/errors#key_missing`);
    expect(await page.locator('#key_missing').isVisible()).to.equal(true);
    await page.goto(`${base}/`);
    await page.click('text=Read the quickstart');
    expect(page.url()).to.equal(`${base}/docs`);
  });

  it('has the menu of chapters at the top of a narrow screen, which opens without a script', async () => {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await page.goto(`${base}/docs/fields`);
    const menu = page.locator('.chapters-menu');
    expect(await page.locator('.chapters').isVisible()).to.equal(false);
    const link = menu.getByRole('link', { name: 'Errors', exact: true, includeHidden: true });
    expect(await link.isVisible(), 'closed at first').to.equal(false);
    await menu.locator('summary').click();
    await link.click();
    expect(page.url()).to.equal(`${base}/docs/errors`);
  });

  it('lists the sections of a chapter on a narrow screen, and each section leads back, without a script', async () => {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await page.goto(`${base}/docs/stream`);
    const menu = page.locator('.sections-menu');
    const link = menu.getByRole('link', { name: 'Limits', exact: true, includeHidden: true });
    expect(await link.isVisible(), 'closed at first').to.equal(false);
    await menu.locator('summary').click();
    await link.click();
    expect(new URL(page.url()).hash).to.equal('#limits');
    expect(await topOf(page, '#limits')).to.be.within(0, 100);
    const back = page.locator('#limits ~ .to-sections a').first();
    await back.click();
    expect(await topOf(page, '.sections-menu')).to.be.within(0, 100);
    await page.setViewportSize({ width: 1_024, height: 640 });
    expect(await back.isVisible()).to.equal(false);
    expect(await page.locator('.chapters .contents').isVisible()).to.equal(true);
  });

  it('prints a chapter without navigation and forms', async () => {
    const page = await newPage();
    await page.goto(`${base}/docs/reference`);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of [
      '.top',
      '.chapters',
      '.chapters-menu',
      '.sections-menu',
      '.to-sections',
      'form.try',
      '#try-key',
    ]) {
      expect(await page.locator(hidden).first().isVisible(), hidden).to.equal(false);
    }
    expect(await page.locator('h1').isVisible()).to.equal(true);
  });

  describe('Try it, in the API reference', () => {
    let page: Page;
    let key: string;
    const sent: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];
    before(async () => {
      ({ key } = await aKey(client));
    });
    beforeEach(async () => {
      sent.length = 0;
      page = await newPage();
      page.on('request', (request) => sent.push({ url: request.url(), headers: request.headers() }));
      await page.goto(`${base}/docs/reference`);
    });
    const form = (path: string) => page.locator(`form[data-path="${path}"]`);
    const sendForm = async (path: string): Promise<string> => {
      await form(path).getByRole('button', { name: 'Send request' }).click();
      await form(path).locator('[data-result] .badge').waitFor();
      return form(path).locator('[data-result]').innerText();
    };

    it('sends the request with the typed key and shows the answer with its headers', async () => {
      await page.fill('#try-key', key);
      await form('/pm/v2/news').locator('[data-parameter="limit"]').fill('1');
      const result = await sendForm('/pm/v2/news');
      expect(result)
        .to.match(/^200 OK in \d+ ms/)
        .and.include('"next_cursor"')
        .and.include('ratelimit: "minute"');
      expect(result.indexOf('"next_cursor"'), 'the body comes first').to.be.below(
        result.indexOf('ratelimit:'),
      );
      expect(await violationsOf(page)).to.deep.equal([]);
    });

    it('asks for a batch of the stream, of all markets that are typed, and shows both in the request', async () => {
      await page.fill('#try-key', key);
      const markets = form('/pm/v2/stream').locator('[data-parameter="market_id"]');
      await markets.fill('sm-one\n\nsm-two,three\n');
      const result = await sendForm('/pm/v2/stream');
      expect(result)
        .to.match(/^200 OK/)
        .and.include('"messages": []')
        .and.include('Accept: application/json')
        .and.not.include(key);
      const request = sent.find(({ url }) => url.includes('/pm/v2/stream'));
      expect(request?.headers).to.have.property('accept', 'application/json');
      const { searchParams } = new URL(request?.url ?? '');
      expect(searchParams.getAll('market_id')).to.deep.equal(['sm-one', 'sm-two,three']);
    });

    it('keeps the key in memory only: not in an address, in storage, in a cookie, or after a reload', async () => {
      await page.fill('#try-key', key);
      await sendForm('/pm/v2/usage');
      const request = sent.find(({ url }) => url.endsWith('/pm/v2/usage'));
      expect(request?.headers['x-api-key']).to.equal(key);
      expect(sent.filter(({ url }) => url.includes(key))).to.deep.equal([]);
      const kept =
        'JSON.stringify([location.href, history.state, document.cookie, {...localStorage}, {...sessionStorage}])';
      expect(await page.evaluate<string>(kept)).not.to.include(key);
      await page.reload();
      expect(await page.inputValue('#try-key')).to.equal('');
    });

    it('shows a refusal with its code, and sends nothing without a key or with one that no header takes', async () => {
      await form('/pm/v2/usage').getByRole('button').click();
      expect(await form('/pm/v2/usage').innerText()).to.include('Enter your API key');
      expect(sent.filter(({ url }) => url.includes('/pm/'))).to.deep.equal([]);
      await page.fill('#try-key', `svc_…`);
      await form('/pm/v2/usage').getByRole('button').click();
      expect(await form('/pm/v2/usage').innerText())
        .to.include('It has a character that no key has.')
        .and.not.include('svc_');
      expect(sent.filter(({ url }) => url.includes('/pm/'))).to.deep.equal([]);
      await page.fill('#try-key', `svc_${'A'.repeat(43)}`);
      expect(await sendForm('/pm/v2/usage'))
        .to.match(/^401 /)
        .and.include('key_unknown');
      expect(await sendForm('/status')).to.match(/^200 /);
    });
  });

  it('search the documentation without a script', async () => {
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/docs`);
    await page.fill('#docs-search', 'revoked key');
    await page.click('.docs-search button');
    expect(await page.inputValue('#docs-search')).to.equal('revoked key');
    await page.click('.found a >> nth=0');
    expect(page.url()).to.match(/\/docs\/\w+#\w+/);
    const shown = await page.locator('figure[data-language]').count();
    await page.goto(`${base}/docs`);
    expect(await page.locator('figure[data-language]:visible').count()).to.be.above(shown === 0 ? 3 : 0);
    expect(await page.locator('.language-tabs').count()).to.equal(0);
  });

  it('show one language of each sample, and keep the choice for other pages', async () => {
    const page = await newPage({});
    await page.goto(`${base}/docs`);
    const visible = () => page.locator('[data-samples] figure:visible figcaption').allInnerTexts();
    expect((await visible()).every((text) => text.startsWith('curl'))).to.equal(true);
    await page.click('.language-tabs >> text=Python');
    expect((await visible()).every((text) => text.startsWith('Python'))).to.equal(true);
    await page.keyboard.press('ArrowLeft');
    expect((await visible()).every((text) => text.startsWith('JavaScript'))).to.equal(true);
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.goto(`${base}/docs/paging`);
    expect((await visible()).every((text) => text.startsWith('JavaScript'))).to.equal(true);
    expect(await visible()).not.to.deep.equal([]);
  });
});
