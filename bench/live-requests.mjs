import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { CASES } from './cases.mjs';
import { startOddswire } from './contestants.mjs';
import { printRow } from './live-report.mjs';
import { LIVE_SETTINGS } from './live-targets.mjs';
import { measure } from './measuring.mjs';
import { judge } from './verdict.mjs';

const ROW = 'gzip, 50 items';
const ROUNDS = 7;
const ROUND_SECONDS = 2;
const ITEMS = 1_500;
/** The share of the rate that idle streams may cost. */
const ALLOWED = 0.1;

/**
 * Compares the request rates of three processes that run at the same time: A and A′ without streams, B with idle streams. The
 * difference between A and A′ is the noise of the machine.
 */
export async function measureRequests(stores, readers, { streams }) {
  const items = sampleFeed(ITEMS, fromEpochMillis(Date.now()));
  const feed = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const contestants = [];
  for (const name of ['A', 'B', 'A′'])
    contestants.push(
      await startOddswire({ name, stores: await stores.next(), feed, settings: LIVE_SETTINGS }),
    );
  const [, { url, keys }] = contestants;
  await readers.open({ url, form: 'sse', key: keys[0] }, streams);
  const row = CASES.find(({ name }) => name === ROW);
  const results = await measure(row, contestants, { rounds: ROUNDS, seconds: ROUND_SECONDS });
  await readers.keep(0);
  const [a, b, again] = results.map(({ rate }) => rate);
  const { ratio, spread } = judge(a, b, again);
  console.log(
    `\nrequests per second (${ROW}); spread of two processes without streams: ${(spread * 100).toFixed(1)} %`,
  );
  printRow({
    name: `with ${streams} idle streams, and without streams`,
    cells: [b, (a + again) / 2].map((rate) => String(Math.round(rate))).concat(`× ${ratio.toFixed(2)}`),
    goal: `at least × ${(1 - ALLOWED).toFixed(2)}`,
    isReached: ratio >= 1 - ALLOWED - spread,
  });
}
