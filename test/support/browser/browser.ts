import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AxeResults } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core';
import { type Chromium, findChromium } from './chromium.js';

/** What a context of Playwright takes; `clipboard` lets the page read and write it without asking. */
export type PageOptions = BrowserContextOptions & { readonly clipboard?: boolean };

let running: Promise<Browser> | undefined;
const open = new Map<BrowserContext, Opened>();

type Opened = { readonly errors: string[]; readonly scripts: boolean };

/**
 * A page of its own: no cookie, storage or cache is shared with another. It lives as long as the test that
 * asked for it, or whose `beforeEach` did; the browser under it is started once a run, by whoever is first.
 */
export async function newPage({ clipboard = false, ...options }: PageOptions = {}): Promise<Page> {
  running ??= start();
  const browser = await running;
  const permissions = clipboard ? ['clipboard-read', 'clipboard-write'] : [];
  const context = await browser.newContext({ permissions, locale: 'en-US', ...options });
  const errors: string[] = [];
  open.set(context, { errors, scripts: options.javaScriptEnabled ?? true });
  context.on('weberror', (thrown) => errors.push(String(thrown.error())));
  context.on('console', (message) => {
    if (isError(message)) errors.push(`${message.text().trim()} (${message.location().url})`);
  });
  context.on('requestfailed', (request) => {
    const fault = request.failure()?.errorText ?? 'failed';
    // What was still loading when the page was left, and answers that became downloads.
    if (fault !== 'net::ERR_ABORTED') errors.push(`${fault}: ${request.method()} ${request.url()}`);
  });
  return context.newPage();
}

async function start(): Promise<Browser> {
  const browser = await launch(await findChromium());
  // One that crashed fails the test that it served, not all that follow.
  browser.on('disconnected', () => {
    running = undefined;
  });
  return browser;
}

/** After each test. */
export async function closePages(): Promise<void> {
  const contexts = [...open.keys()];
  open.clear();
  await Promise.all(contexts.map((context) => context.close()));
}

/** After all tests; answers when the browser has ended, with which its helpers end. */
export async function stopBrowser(): Promise<void> {
  const browser = await running?.catch(() => undefined);
  running = undefined;
  await browser?.close();
}

/** Everything is on this machine: a name that is looked up would only hang, or tell others of the tests. */
const LOOPBACK_ONLY = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]';

export async function launch({ file, environment }: Chromium): Promise<Browser> {
  const options = {
    executablePath: file,
    headless: true,
    // Playwright brings a fresh profile, and the switches against first runs, updates and background traffic.
    args: [
      `--host-resolver-rules=${LOOPBACK_ONLY}`,
      '--no-proxy-server',
      '--disable-quic',
      '--disable-sync',
      '--disable-gpu',
    ],
    env: { ...process.env, ...environment },
    // Signals are for the test runner, which stops the servers too. A browser whose runner is gone ends itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  // Root has no sandbox, and many containers allow none; the pages are our own.
  if (process.getuid?.() === 0) return chromium.launch(options);
  return chromium
    .launch({ ...options, chromiumSandbox: true })
    .catch(() => chromium.launch({ ...options, chromiumSandbox: false }));
}

/** Errors of scripts, of the console, and of requests that got no answer, in the page and what it opened. */
export async function errorsOf(page: Page): Promise<readonly string[]> {
  // One trip to the page and back: what happened before it has been told by then.
  await page.evaluate('0');
  return [...openedBy(page).errors];
}

/** What the page's content security policy kept it from. */
export async function cspViolationsOf(page: Page): Promise<readonly string[]> {
  return (await errorsOf(page)).filter((error) => error.includes('Content Security Policy'));
}

function openedBy(page: Page): Opened {
  const opened = open.get(page.context());
  if (opened === undefined) throw new Error('this page was not opened by newPage, or its test is over');
  return opened;
}

/** The status of the page itself is what a test asks for; a failed request is told by an event of its own. */
function isError(message: ConsoleMessage): boolean {
  const text = message.text();
  if (message.type() !== 'error' || text.startsWith('Failed to load resource: net::')) return false;
  const ofPage = message.location().url === message.page()?.url();
  return !(ofPage && text.startsWith('Failed to load resource: the server responded'));
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

/** What keeps people out of the page: one line for each place, of the rule, the place and what would help. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Evaluated through the debugger, for which the page's policy stays as it is and does not count.
  const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  const question = `axe.run(document, ${JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] })})`;
  const answer = await withTimers(page, () => page.evaluate<AxeResults>(`${source};${question}`));
  return answer.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')} (${help})`),
  );
}

/**
 * Axe waits for timers, which do not run in a page without scripts. For the while of its search they do; the
 * page's own scripts were passed over when it was read, and stay so.
 */
async function withTimers<T>(page: Page, use: () => Promise<T>): Promise<T> {
  if (openedBy(page).scripts) return use();
  const session = await page.context().newCDPSession(page);
  const disable = (value: boolean) => session.send('Emulation.setScriptExecutionDisabled', { value });
  // What a session does not know to be off it does not switch on. It stays: its end would switch them on again.
  await disable(true);
  await disable(false);
  return use().finally(() => disable(true));
}

/** Of a longer page, so much is in a picture. */
const PICTURE_HEIGHT = 1_400;

/**
 * The page as `docs/pictures/<file>`, when `PICTURES=1` asks: else a test leaves the tree as it is. What a page shows
 * once is covered: no key value is to be in a picture either.
 */
export async function picture(page: Page, file: string): Promise<void> {
  if (process.env['PICTURES'] !== '1') return;
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  const width = await page.evaluate<number>('innerWidth');
  await page.screenshot({
    path: resolve('docs', 'pictures', file),
    fullPage: true,
    animations: 'disabled',
    clip: { x: 0, y: 0, width, height: Math.min(whole, PICTURE_HEIGHT) },
    mask: [page.locator('[data-once]')],
    maskColor: '#8a93a3',
  });
}
