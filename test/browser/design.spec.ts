import { expect } from 'chai';
import { errorsOf, newPage, violationsOf } from '../support/browser/browser.js';
import { overflowOf } from '../support/browser/overflow.js';
import { launchDemo, type Service, startService } from '../support/service/running-service.js';

const FONT_BYTES_MAX = 40_000;

/** The family that the browser has loaded, and whether digits of different shapes have one width. */
const FONT = `document.fonts.ready.then((fonts) => {
  const widthOf = (text) => {
    const line = Object.assign(document.createElement('span'), { textContent: text });
    document.body.append(line);
    return line.getBoundingClientRect().width;
  };
  return {
    loaded: [...fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
    family: getComputedStyle(document.body).fontFamily.split(',')[0],
    digits: [widthOf('1111'), widthOf('8888')],
  };
})`;

type Font = {
  readonly loaded: readonly string[];
  readonly family: string;
  readonly digits: readonly [number, number];
};

describe('The design of the pages', () => {
  let service: Service;
  let base: string;
  before(async () => {
    service = await startService();
    base = service.instances[0]?.url ?? '';
  });
  after(() => service.stop());

  it('has its own font, of at most 40 KB, loaded once and kept, with digits of one width', async () => {
    for (const path of ['/', '/docs', '/dashboard/sign-in']) {
      const page = await newPage();
      const fonts: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'font') fonts.push(request.url());
      });
      await page.goto(`${base}${path}`);
      const { loaded, family, digits } = await page.evaluate<Font>(FONT);
      expect([loaded, family], path).to.deep.equal([['Inter'], 'Inter']);
      expect(digits[0]).to.equal(digits[1]);
      // The preload and the style name the same address.
      expect(new Set(fonts).size, fonts.join(' ')).to.equal(1);
      const font = await fetch(fonts[0] ?? '');
      expect(font.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect((await font.arrayBuffer()).byteLength).to.be.within(10_000, FONT_BYTES_MAX);
      expect(await errorsOf(page)).to.deep.equal([]);
    }
  });

  it('shows texts before the font is there', async () => {
    const page = await newPage();
    await page.route(/woff2/, () => {}); // It never answers.
    await page.goto(`${base}/dashboard/sign-in`, { waitUntil: 'commit' });
    expect(await page.locator('h1').isVisible()).to.equal(true);
    const display = () => page.evaluate<string>("[...document.fonts].map((font) => font.display).join(' ')");
    while ((await display()) === '') await page.waitForTimeout(20); // The style is still loading.
    expect(await display()).to.equal('swap');
  });

  it('has a page of all components in the demo only, accessible at every width, light and dark', async function () {
    this.timeout(60_000);
    expect((await fetch(`${base}/dashboard/style`)).status).to.equal(404);
    const demo = await launchDemo({}).listening;
    const page = await newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${demo.url}/dashboard/style`);
    expect(await page.locator('h1').innerText()).to.equal('Components');
    const faults = [...(await overflowOf(page, [1_440, 768, 375, 320]))];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      faults.push(...(await violationsOf(page)));
    }
    expect([...faults, ...(await errorsOf(page))]).to.deep.equal([]);
    await demo.stop();
  });
});
