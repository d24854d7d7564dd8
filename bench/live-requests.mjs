import { CASES } from './cases.mjs';
import { startEach } from './contestants.mjs';
import { printRow } from './live-report.mjs';
import { LIVE_SETTINGS } from './live-targets.mjs';
import { measure } from './measuring.mjs';
import { sampleItems } from './sample-items.mjs';
import { judge } from './verdict.mjs';

const ROW = 'gzip, 50 items';
const ROUNDS = 7;
const ROUND_SECONDS = 2;
/** The share of the rate that idle streams may cost. */
const ALLOWED = 0.1;

/**
 * Compares the request rates of three processes that run at the same time: A and A′ without streams, B with idle streams. The
 * difference between A and A′ is the noise of the machine.
 */
export async function measureRequests(stores, readers, { streams }) {
  const services = ['A', 'B', 'A′'].map((name) => ({ name, settings: LIVE_SETTINGS }));
  const contestants = await startEach(stores, sampleItems(), services);
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
