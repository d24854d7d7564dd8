// Measures the first paint of pages in Chromium without scripts, and the bytes that each page loads, against a demo that
// it starts: node bench/first-paint.mjs [runs]. The build must be current.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch } from '../dist/test/support/browser/browser.js';
import { findChromium } from '../dist/test/support/browser/chromium.js';

const PATHS = ['/', '/docs', '/status', '/dashboard/sign-in', '/dashboard/feed', '/dashboard/keys'];
const GOAL_MS = 200;
const runs = Number(process.argv[2] ?? 5);
const PORT = 18_090;
const base = `http://localhost:${PORT}`;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function startDemo(stateDir) {
  const environment = { ...process.env, PORT, INTERNAL_PORT: PORT + 1, STATE_DIR: stateDir };
  const demo = spawn(process.execPath, ['dist/src/commands/demo.js'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: demo.stdout })) {
    if (line.startsWith('Ctrl-C')) break;
  }
  demo.stdout.resume();
  return demo;
}

/** From the start of the navigation to the first paint of a text, and the bytes of the page and of its files. */
async function measure(browser, path, cookies) {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Page.enable');
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true });
  const events = new Map();
  session.on('Page.lifecycleEvent', ({ name, timestamp }) => events.set(name, timestamp));
  const bytes = { page: 0, files: 0 };
  page.on('response', async (response) => {
    const { length } = await response.body().catch(() => Buffer.alloc(0));
    if (response.url().includes('/assets/')) bytes.files += length;
    else bytes.page += length;
  });
  await page.goto(`${base}${path}`, { waitUntil: 'load' });
  while (!events.has('firstContentfulPaint')) await page.waitForTimeout(10);
  const { metrics } = await session.send('Performance.getMetrics');
  const started = metrics.find(({ name }) => name === 'NavigationStart')?.value ?? Number.NaN;
  await page.waitForTimeout(50); // The bodies of all responses have been read.
  await context.close();
  return { ms: 1_000 * (events.get('firstContentfulPaint') - started), ...bytes };
}

async function signedIn(browser) {
  const context = await browser.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`${base}/dashboard/sign-in`);
  await page.locator('form[action="/dashboard/demo/sign-in"] button').last().click();
  await page.waitForURL(/\/dashboard\/keys|\/dashboard\/feed/);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

const stateDir = mkdtempSync(join(tmpdir(), 'oddswire-paint-'));
const demo = await startDemo(stateDir);
const browser = await launch(await findChromium());
const cookies = await signedIn(browser);
await measure(browser, '/docs', []); // The first page of a browser takes longer.
console.log(
  '| page | first paint, ms (median) | slowest | page, bytes | files, bytes |\n|---|---|---|---|---|',
);
for (const path of PATHS) {
  const results = [];
  for (let run = 0; run < runs; run += 1)
    results.push(await measure(browser, path, /feed|keys/.test(path) ? cookies : []));
  const times = results.map(({ ms }) => ms);
  const { page, files } = results[0];
  const [middle, slowest] = [median(times), Math.max(...times)].map(Math.round);
  console.log(
    `| \`${path}\` | ${middle}${middle > GOAL_MS ? ' (!)' : ''} | ${slowest} | ${page} | ${files} |`,
  );
}
await browser.close();
demo.kill();
await once(demo, 'exit');
rmSync(stateDir, { recursive: true });
