// What tracing costs: requests per second without `TRACES_URL`, with the default share of recorded requests, and with all of
// them recorded. Usage: npm run bench:tracing
import { CASES } from './cases.mjs';
import { SETTINGS, startCollector, startEach } from './contestants.mjs';
import { measureStarts } from './measuring.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { sampleItems } from './sample-items.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';

const ROWS = CASES.filter(({ name }) => name === 'gzip, 50 items' || name === 'If-None-Match, 304');
const PERCENTS = [1, 100];

await runBench(async () => {
  const timing = { rounds: setting('ROUNDS', 3), seconds: setting('SECONDS', 1) };
  const { url } = await startCollector();
  const traced = { ...SETTINGS, TRACES_URL: `${url}/v1/traces` };
  const services = [
    { name: 'off', settings: SETTINGS },
    ...PERCENTS.map((percent) => ({
      name: `${percent} % recorded`,
      settings: { ...traced, TRACES_PERCENT: String(percent) },
    })),
  ];
  const stores = await startStores();
  const feed = sampleItems();
  const start = () => startEach(stores, feed, services);
  const results = await measureStarts({ starts: setting('STARTS', 5), start, rows: ROWS, timing });
  const bytes = Number(await (await fetch(url)).text());
  if (bytes === 0) throw new BenchFailure('the collector received no span');
  for (const [n, { name }] of ROWS.entries()) {
    console.log(`\n${name}`);
    const [off] = results[n];
    for (const [i, { rate, cpu, p99 }] of results[n].entries()) {
      const ratios = `× ${(rate / off.rate).toFixed(3)}, CPU of a request × ${(cpu / off.cpu).toFixed(3)}`;
      console.log(
        `  ${services[i].name.padEnd(16)} ${Math.round(rate)} req/s  p99 ${p99.toFixed(1)} ms  ${ratios}`,
      );
    }
  }
});
