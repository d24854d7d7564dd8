// Compares requests per second in one run on one machine. Compare the ratios, because absolute figures depend on the machine.
//   npm run bench [-- feed.ndjson]                     compared with the limit (bare node:http) and a conventional stack
//   npm run bench -- --against <commit> [feed.ndjson]  compared with another commit of this repository
//   --rows <text>                                      only the rows of `cases.mjs` whose names contain it
// Without a file, the items are from the sample generator. It starts its own Postgres and Redis and stops them.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CASES } from './cases.mjs';
import { startConventional, startEach, startLimit, startOddswire } from './contestants.mjs';
import { load } from './load.mjs';
import { CONNECTIONS, measure, measureStarts } from './measuring.mjs';
import { buildCommit, describeWorkingTree, findCommit } from './other-commit.mjs';
import { printCommitsHead, printCommitsRow, printPeers } from './printing.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { sampleItems } from './sample-items.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';
import { isWrkInstalled, loadByWrk } from './wrk.mjs';

/** Each process of the service has its own database of a Redis that has 16. */
const STARTS_MAX = 5;
const PATHS = [...new Set(CASES.map(({ path }) => path))];

await runBench(async () => {
  const { values, positionals } = parseArgs({
    options: { against: { type: 'string' }, rows: { type: 'string', default: '' } },
    allowPositionals: true,
  });
  const feed = readFeed(positionals[0]);
  const rows = CASES.filter(({ name }) => name.includes(values.rows));
  if (rows.length === 0) throw new BenchFailure(`no row has "${values.rows}" in its name`);
  const { against } = values;
  await (against === undefined ? besidePeers(feed, rows) : besideCommit(feed, rows, findCommit(against)));
});

async function besidePeers(feed, rows) {
  const timing = { rounds: setting('ROUNDS', 3), seconds: setting('SECONDS', 5) };
  const loadOne = isWrkInstalled() ? loadByWrk : load;
  const own = await (await startStores()).next();
  const service = await startOddswire({ name: 'oddswire', stores: own, feed });
  const contestants = [await startLimit(service, PATHS), service, ...(await startConventional(service, own))];
  for (const row of rows)
    printPeers(row, contestants, await measure(row, contestants, { ...timing, loadOne }));
}

async function besideCommit(feed, rows, commit) {
  const timing = { rounds: setting('ROUNDS', 3), seconds: setting('SECONDS', 1) };
  const starts = setting('STARTS', STARTS_MAX);
  if (starts > STARTS_MAX)
    throw new BenchFailure(`STARTS must be at most ${STARTS_MAX}, but it is ${starts}`);
  const root = await buildCommit(commit);
  const stores = await startStores();
  const start = async () => {
    const [a, b, again] = await startEach(stores, feed, [
      { name: 'A', root },
      { name: 'B' },
      { name: 'A′', root },
    ]);
    return [a, b, again, await startLimit(b, PATHS)];
  };
  const results = await measureStarts({ starts, start, rows, timing });
  const tree = describeWorkingTree();
  printCommitsHead({ commit: commit.title, tree, starts, ...timing, connections: CONNECTIONS });
  for (const [n, row] of rows.entries()) printCommitsRow(row, results[n]);
}

/** The items as NDJSON. */
function readFeed(file) {
  if (file === undefined) return sampleItems();
  try {
    return readFileSync(file, 'utf8');
  } catch (fault) {
    throw new BenchFailure(`cannot read the items: ${fault.message}`);
  }
}
