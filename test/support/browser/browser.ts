import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

/** Options of a Playwright context; `clipboard` allows the page to read and write the clipboard. */
export type PageOptions = BrowserContextOptions & { readonly clipboard?: boolean };

let running: Promise<Browser> | undefined;
const open = new Map<BrowserContext, Opened>();

type Opened = { readonly errors: string[]; readonly scripts: boolean };

/**
 * Opens a page that shares no cookies, storage or cache with other pages. It is closed after the test (`closePages`).
 * The first call of a run starts the browser.
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
    // Aborted: the page was left while loading, or the answer became a download.
    if (fault !== 'net::ERR_ABORTED') errors.push(`${fault}: ${request.method()} ${request.url()}`);
  });
  return context.newPage();
}

async function start(): Promise<Browser> {
  const browser = await launch(await findChromium());
  // After a crash the next test starts a new browser.
  browser.on('disconnected', () => {
    running = undefined;
  });
  return browser;
}

/** Runs after each test. */
export async function closePages(): Promise<void> {
  const contexts = [...open.keys()];
  open.clear();
  await Promise.all(contexts.map((context) => context.close()));
}

/** Runs after all tests. Resolves when the browser and its child processes have ended. */
export async function stopBrowser(): Promise<void> {
  const browser = await running?.catch(() => undefined);
  running = undefined;
  await browser?.close();
}

/** Blocks other hosts: a DNS lookup could hang, and no request of a test may leave the machine. */
const LOOPBACK_ONLY = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]';

export async function launch({ file, environment }: Chromium): Promise<Browser> {
  const options = {
    executablePath: file,
    headless: true,
    // Playwright adds a fresh profile and the switches against first runs, updates and background traffic.
    args: [
      `--host-resolver-rules=${LOOPBACK_ONLY}`,
      '--no-proxy-server',
      '--disable-quic',
      '--disable-sync',
      '--disable-gpu',
    ],
    env: { ...process.env, ...environment },
    // The test runner handles signals and stops the servers too. The browser exits when its runner is gone.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  // Chromium has no sandbox as root, and many containers allow none; the pages are ours.
  if (process.getuid?.() === 0) return chromium.launch(options);
  return chromium
    .launch({ ...options, chromiumSandbox: true })
    .catch(() => chromium.launch({ ...options, chromiumSandbox: false }));
}

/** Errors of scripts and of the console, and failed requests, of the page and the pages that it opened. */
export async function errorsOf(page: Page): Promise<readonly string[]> {
  // One round trip to the page: all earlier events have been reported by then.
  await page.evaluate('0');
  return [...openedBy(page).errors];
}

/** Violations of the content security policy of the page. */
export async function cspViolationsOf(page: Page): Promise<readonly string[]> {
  return (await errorsOf(page)).filter((error) => error.includes('Content Security Policy'));
}

function openedBy(page: Page): Opened {
  const opened = open.get(page.context());
  if (opened === undefined) throw new Error('this page was not opened by newPage, or its test is over');
  return opened;
}

/** Ignores the status of the page itself, which tests check, and failed requests, which have their own event. */
function isError(message: ConsoleMessage): boolean {
  const text = message.text();
  if (message.type() !== 'error' || text.startsWith('Failed to load resource: net::')) return false;
  const ofPage = message.location().url === message.page()?.url();
  return !(ofPage && text.startsWith('Failed to load resource: the server responded'));
}

/** Which rules of axe are applied: those with a tag, or those with an id. */
type Rules = { readonly type: 'tag' | 'rule'; readonly values: readonly string[] };

export const ALL_RULES: Rules = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'],
};
/** The rules whose result depends on colors. */
export const COLOR_RULES: Rules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** The rules whose result depends on the width: what overlaps, scrolls, is too small for a finger, or has lost its name. */
export const WIDTH_RULES: Rules = {
  type: 'rule',
  values: [
    ...['target-size', 'scrollable-region-focusable', 'color-contrast', 'aria-hidden-focus'],
    ...['button-name', 'link-name', 'label', 'select-name', 'summary-name', 'heading-order'],
  ],
};

/** Accessibility violations of the page, one line for each element: the rule, the element and the remedy. */
export async function violationsOf(page: Page, rules: Rules = ALL_RULES): Promise<readonly string[]> {
  // Evaluated through the debugger, to which the content security policy of the page does not apply.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) {
    const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    await page.evaluate(`${source};0`);
  }
  const call = `axe.run(document, ${JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })})`;
  const answer = await withTimers(page, () => page.evaluate<AxeResults>(call));
  return answer.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')} (${help})`),
  );
}

/**
 * Axe waits for timers, which do not run in a page with scripts disabled. This enables scripts during the check. The
 * scripts of the page were skipped when it was parsed, and still do not run.
 */
async function withTimers<T>(page: Page, use: () => Promise<T>): Promise<T> {
  if (openedBy(page).scripts) return use();
  const session = await page.context().newCDPSession(page);
  const disable = (value: boolean) => session.send('Emulation.setScriptExecutionDisabled', { value });
  // A new session must disable scripts before it can enable them. It stays open: its end would enable them again.
  await disable(true);
  await disable(false);
  return use().finally(() => disable(true));
}

/** Where pictures are written. `docs/pictures` has the two that README.md shows. */
export const PICTURES = join('var', 'pictures');

/** The maximum height of a picture, in pixels; longer pages are cut off. */
const PICTURE_HEIGHT = 1_400;

/**
 * Writes the page to `var/pictures/<file>`, which git ignores, if `PICTURES=1`; otherwise it does nothing. Elements that are shown
 * once are masked, so that no picture contains the secret of a key.
 */
export async function picture(page: Page, file: string): Promise<void> {
  if (process.env['PICTURES'] !== '1') return;
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  const width = await page.evaluate<number>('innerWidth');
  await page.screenshot({
    path: resolve(PICTURES, file),
    fullPage: true,
    animations: 'disabled',
    clip: { x: 0, y: 0, width, height: Math.min(whole, PICTURE_HEIGHT) },
    mask: [page.locator('[data-once]')],
    maskColor: '#8a93a3',
  });
}
