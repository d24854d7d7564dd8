import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import {
  cspViolationsOf,
  errorsOf,
  launch,
  newPage,
  type PageOptions,
  PICTURES,
  picture,
  violationsOf,
} from './browser/browser.js';
import { findChromium, unpacked } from './browser/chromium.js';
import { isRunning } from './service/process-tree.js';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src *";

const SCRIPT = `
  const button = document.querySelector('button');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText('copied');
    button.textContent = await navigator.clipboard.readText();
  });`;

const STYLE = `
  :root { color-scheme: light dark; }
  @media (prefers-color-scheme: dark) { h1 { font-style: italic; } }`;

const GOOD = `
  <main>
    <h1>Zażółć gęślą jaźń — 12 €</h1>
    <p><span id="narrow">iiii</span> and <span id="wide">WWWW</span></p>
    <button type="button">Copy</button>
    <noscript><p>Without scripts</p></noscript>
  </main>
  <script src="/page.js"></script>`;

/** Tests the browser helpers that the tests of pages use. */
describe('The browser of a test', () => {
  let server: Server;
  let port: number;
  let asked: string[];
  const bodies = new Map<string, string>();

  before(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? '';
      // Only some builds of Chromium request an icon.
      if (path === '/favicon.ico') return response.writeHead(204).end();
      asked.push(path);
      if (path.endsWith('.js')) return response.setHeader('content-type', 'text/javascript').end(SCRIPT);
      if (path.endsWith('.css')) return response.setHeader('content-type', 'text/css').end(STYLE);
      const body = bodies.get(path);
      return response
        .writeHead(body === undefined ? 404 : 200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICY,
        })
        .end(documentOf(body ?? 'Nothing is here.'));
    });
    // Listens on all addresses, so that a request to another local address fails only if the browser blocks it.
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  beforeEach(() => {
    asked = [];
    bodies.clear();
  });

  const documentOf = (body: string) =>
    `<!doctype html><html lang="en"><head><title>A page</title>` +
    `<link rel="stylesheet" href="/page.css"></head><body>${body}</body></html>`;

  async function pageOf(body: string, options: PageOptions = {}) {
    bodies.set('/', body);
    const page = await newPage({ baseURL: `http://127.0.0.1:${port}`, ...options });
    await page.goto('/');
    return page;
  }

  it('renders text with proportional fonts', async () => {
    const page = await pageOf(GOOD);
    const width = (id: string) =>
      page.evaluate<number>(`document.getElementById('${id}').getBoundingClientRect().width`);
    expect(await width('narrow')).to.be.greaterThan(0);
    expect(await width('wide')).to.be.greaterThan(await width('narrow'));
    const ink = await page.evaluate<number>(`(() => {
      const pen = document.createElement('canvas').getContext('2d');
      pen.font = '40px sans-serif';
      pen.fillText('\u017b\u20ac', 10, 60);
      return pen.getImageData(0, 0, 150, 100).data.filter((value) => value > 0).length;
    })()`);
    expect(ink).to.be.greaterThan(100);
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('clicks, and lets a page use the clipboard if the test allows it', async () => {
    const page = await pageOf(GOOD, { clipboard: true });
    await page.click('button');
    await page.getByRole('button', { name: 'copied' }).waitFor();
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('denies the clipboard by default, and reports errors that scripts throw', async () => {
    const page = await pageOf(GOOD);
    const thrown = page.waitForEvent('pageerror');
    await page.click('button');
    await thrown;
    expect((await errorsOf(page)).join()).to.match(/NotAllowedError/);
  });

  it('shows a page without scripts, and still finds accessibility violations', async () => {
    const page = await pageOf(`${GOOD}<img src="/picture">`, { javaScriptEnabled: false });
    // By a selector, because Playwright finds no text and no role inside `noscript`.
    expect(await page.locator('noscript p').isVisible()).to.equal(true);
    expect((await violationsOf(page)).join()).to.include('image-alt: img');
    await page.reload();
    await page.click('button');
    expect(await page.textContent('button')).to.equal('Copy');
    expect(asked).not.to.include('/page.js');
  });

  it('uses the colour scheme and the width that a test sets', async () => {
    for (const [colorScheme, style] of [
      ['light', 'normal'],
      ['dark', 'italic'],
    ] as const) {
      const page = await pageOf(GOOD, { colorScheme, viewport: { width: 320, height: 600 } });
      expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontStyle")).to.equal(style);
      expect(await page.evaluate('innerWidth')).to.equal(320);
    }
  });

  it('shares no cookies and no storage between two pages of one test', async () => {
    const [one, other] = [await pageOf(GOOD), await pageOf(GOOD)];
    await one.evaluate("document.cookie = 'name=value'; localStorage.setItem('name', 'value')");
    const kept = 'document.cookie + localStorage.length';
    expect([await one.evaluate(kept), await other.evaluate(kept)]).to.deep.equal(['name=value1', '0']);
  });

  it('reports each accessibility violation, and none on a good page', async () => {
    const good = await pageOf(GOOD);
    expect(await violationsOf(good)).to.deep.equal([]);
    // The check itself does not violate the content security policy of the page.
    expect(await errorsOf(good)).to.deep.equal([]);
    const small = '<a href="/a">a</a><a href="/b">b</a>';
    const bad = await pageOf(`<h2>No h1</h2><main><label>Name</label><input id="name">${small}</main>`);
    expect(await violationsOf(bad)).to.include.members([
      'label: #name (Form elements must have labels)',
      'page-has-heading-one: html (Page should contain a level-one heading)',
    ]);
  });

  it('enforces the content security policy of a page, and reports violations', async () => {
    const page = await pageOf(`<p>Before</p><script>document.body.append('never')</script>`);
    expect(await page.evaluate('document.body.innerText')).to.equal('Before');
    const violations = await cspViolationsOf(page);
    expect(violations).to.have.length(1);
    expect(violations.join()).to.match(/inline script.*script-src 'self'/);
  });

  it('reports errors of the page and failed requests, but not the status of the page itself', async () => {
    const page = await pageOf(`${GOOD}<img src="/missing.png" alt="">`);
    expect(await errorsOf(page)).to.have.length(1);
    expect((await errorsOf(page)).join()).to.match(/404.*missing\.png/);
    const missing = await newPage();
    const answer = await missing.goto(`http://127.0.0.1:${port}/nowhere`);
    expect(answer?.status()).to.equal(404);
    expect(await errorsOf(missing)).to.deep.equal([]);
  });

  it('sends requests to loopback only, by name or by address', async () => {
    const foreign = [`foreign.localhost:${port}`, `127.0.0.2:${port}`, 'example.com', '192.0.2.1'];
    const page = await pageOf(foreign.map((host) => `<img src="http://${host}/picture" alt="">`).join(''));
    expect(asked).not.to.include('/picture');
    const refused = foreign.map((host) => `net::ERR_NAME_NOT_RESOLVED: GET http://${host}/picture`);
    expect(await errorsOf(page)).to.have.members(refused);
    await pageOf(`<img src="http://localhost:${port}/picture" alt="">`);
    expect(asked).to.include('/picture');
  });

  it('writes pictures only with PICTURES=1', async () => {
    const page = await pageOf(GOOD);
    await inFolder(async (folder) => {
      const file = join(folder, 'page.png');
      const given = process.env['PICTURES'];
      try {
        for (const wanted of ['', '1']) {
          process.env['PICTURES'] = wanted;
          await picture(page, relative(resolve(PICTURES), file));
          expect(existsSync(file)).to.equal(wanted === '1');
        }
      } finally {
        if (given === undefined) delete process.env['PICTURES'];
        else process.env['PICTURES'] = given;
      }
    });
  });

  it('leaves no process when it is closed', async () => {
    const browser = await launch(await findChromium());
    await browser.newPage();
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pids = processInfo.map(({ id }) => id);
    expect(pids.length).to.be.greaterThan(1);
    expect(pids.every(isRunning)).to.equal(true);
    await browser.close();
    while (pids.some(isRunning)) await new Promise((done) => setTimeout(done, 10));
  });
});

describe('The Chromium that the tests use', function () {
  this.timeout(60_000);

  it('is that of CHROMIUM_BIN, which must exist', async () => {
    const given = { CHROMIUM_BIN: process.execPath, PATH: '' };
    expect(await findChromium(given)).to.include({ file: process.execPath, origin: 'CHROMIUM_BIN' });
    const wrong = await findChromium({ CHROMIUM_BIN: '/nowhere' }).catch((thrown: unknown) => thrown);
    expect(String(wrong)).to.equal('Error: CHROMIUM_BIN names no file: /nowhere');
  });

  it('is the first one on PATH that runs', async () => {
    await inFolder(async (folder) => {
      const programs = { chromium: 'exit 1', 'chromium-browser': 'exit 1', 'google-chrome': 'exit 0' };
      for (const [name, text] of Object.entries(programs)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(folder, name), 0o755);
      }
      const { origin } = await findChromium({ PATH: `/nowhere:${folder}` });
      expect(origin).to.equal(`system (${join(folder, 'google-chrome')})`);
    });
  });

  // The package has a build for Linux on x64 only.
  if (process.platform === 'linux' && process.arch === 'x64') {
    it('is that of the npm package if none is installed', async () => {
      const found = await findChromium({ PATH: '' });
      expect(found.origin).to.match(/^npm \(@sparticuz\/chromium/);
      const browser = await launch(found);
      expect(browser.version()).to.match(/^\d+\./);
      await browser.close();
    });

    it('is unpacked completely also when two runs unpack it at the same time', async () => {
      await inFolder(async (cache) => {
        const [one, other] = await Promise.all([unpacked(cache), unpacked(cache)]);
        expect(one).to.equal(other);
        expect(readdirSync(cache).map((name) => join(cache, name))).to.deep.equal([one]);
        const env = { ...process.env, LD_LIBRARY_PATH: join(one, 'al2023', 'lib') };
        const { stdout } = spawnSync(join(one, 'chromium'), ['--version'], { env, encoding: 'utf8' });
        expect(stdout).to.match(/^Chromium \d+\./);
      });
    });
  }
});

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  mkdirSync('.cache', { recursive: true });
  const folder = mkdtempSync(resolve('.cache', 'browser-test-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
