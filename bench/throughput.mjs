// Compares requests per second in one run on one machine. Compare the ratios, because absolute figures depend on the machine.
//   npm run bench [-- feed.ndjson]                     compared with the limit (bare node:http) and a conventional stack
//   npm run bench -- --against <commit> [feed.ndjson]  compared with another commit of this repository
// Without a file, the items are from the sample generator. It starts its own Postgres and Redis and stops them.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { CASES } from './cases.mjs';
import { startConventional, startLimit, startOddswire } from './contestants.mjs';
import { load } from './load.mjs';
import { CONNECTIONS, measure } from './measuring.mjs';
import { buildCommit, describeWorkingTree, findCommit } from './other-commit.mjs';
import { printCommitsHead, printCommitsRow, printPeers } from './printing.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { startStores } from './stores.mjs';
import { isWrkInstalled, loadByWrk } from './wrk.mjs';

const ITEMS = 1_500;
const PATHS = [...new Set(CASES.map(({ path }) => path))];

await runBench(async () => {
  const { values, positionals } = parseArgs({
    options: { against: { type: 'string' } },
    allowPositionals: true,
  });
  const feed = readFeed(positionals[0]);
  await (values.against === undefined ? besidePeers(feed) : besideCommit(feed, findCommit(values.against)));
});

async function besidePeers(feed) {
  const timing = { rounds: setting('ROUNDS', 3), seconds: setting('SECONDS', 5) };
  const loadOne = isWrkInstalled() ? loadByWrk : load;
  const own = await (await startStores()).next();
  const service = await startOddswire({ name: 'oddswire', stores: own, feed });
  const contestants = [await startLimit(service, PATHS), service, ...(await startConventional(service, own))];
  for (const row of CASES)
    printPeers(row, contestants, await measure(row, contestants, { ...timing, loadOne }));
}

async function besideCommit(feed, commit) {
  const timing = { rounds: setting('ROUNDS', 7), seconds: setting('SECONDS', 2) };
  const root = await buildCommit(commit);
  const stores = await startStores();
  const contestants = [];
  for (const one of [{ name: 'A', root }, { name: 'B' }, { name: 'A′', root }]) {
    contestants.push(await startOddswire({ ...one, stores: await stores.next(), feed }));
  }
  const limit = await startLimit(contestants[1], PATHS);
  const tree = describeWorkingTree();
  printCommitsHead({ commit: commit.title, tree, ...timing, connections: CONNECTIONS });
  for (const row of CASES) {
    const results = await measure(row, contestants, timing);
    const [ofLimit] = await measure(row, [limit], { ...timing, rounds: 1 });
    printCommitsRow(row, results, ofLimit);
  }
}

/** The items as NDJSON. */
function readFeed(file) {
  if (file === undefined) {
    return sampleFeed(ITEMS, fromEpochMillis(Date.now()))
      .map((item) => `${JSON.stringify(item)}\n`)
      .join('');
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (fault) {
    throw new BenchFailure(`cannot read the items: ${fault.message}`);
  }
}

/** A positive number from the environment. */
function setting(name, otherwise) {
  const value = Number(process.env[name] || otherwise);
  if (value > 0) return value;
  throw new BenchFailure(`${name} must be a number above 0, but it is "${process.env[name]}"`);
}
