// Measures what ten instances on one Postgres and one Redis cost these servers, and how fast changes reach all of them.
//   npm run bench:fleet [-- --instances 10 --accounts 100000 --keys 20000 --rate 500 --seconds 60
//                          --publications 50 --revocations 5]
// `keys` of the accounts are in use on every instance; the rates are per second, for all instances together. The run takes
// 3 minutes. It starts its own durable Postgres and Redis in a temporary folder and stops them.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { migrate } from '../dist/src/adapters/postgres/migrate.js';
import { readPublication } from '../dist/src/domain/feed/feed-item.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { copyAccounts } from './copy-accounts.mjs';
import { copyItems, pieces } from './copy-items.mjs';
import { publishSteadily, revokeSteadily } from './fleet-changes.mjs';
import { printCommands, printKeyReads, printStatements, printTimes } from './fleet-report.mjs';
import { poll, useEveryKey } from './fleet-traffic.mjs';
import { HttpConnections } from './http-connections.mjs';
import { cpuSeconds, machineCpuSeconds } from './measuring.mjs';
import { atEnd, BenchFailure, runBench } from './run-bench.mjs';
import {
  COUNTED_STATEMENTS,
  commandCounter,
  statementCounter,
  withStatementLibrary,
} from './server-figures.mjs';
import { startService } from './service.mjs';
import { startStores } from './stores.mjs';

const DEFAULTS = {
  instances: 10,
  accounts: 100_000,
  keys: 20_000,
  rate: 500,
  seconds: 60,
  publications: 50,
  revocations: 5,
};
const SETTINGS = { RATE_LIMIT_PRO_MINUTE: '1000000000', RATE_LIMIT_PRO_DAY: '1000000000', LOG_LEVEL: 'warn' };
/** As many as an instance copies. */
const ITEMS = 10_000;
const SAMPLES = 1_000;
const OPENED = fromEpochMillis(Date.now() - 60_000);
/** Before the measurement, so that writes of the uses of all keys do not count. */
const SETTLE_MS = 5_000;

await runBench(async () => {
  const options = readOptions();
  const stores = await withStatementLibrary(() =>
    startStores({ max_connections: '300', ...COUNTED_STATEMENTS }),
  );
  const { databaseUrl, redisUrl } = await stores.next();
  await migrate(databaseUrl);
  const keys = await filled(databaseUrl, options);
  const instances = await startInstances(options.instances, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ...SETTINGS,
  });
  await useKeys(instances, keys);
  const counters = [await statementCounter(databaseUrl), await commandCounter(redisUrl)];
  const { statements, commands, work, ...figures } = await measure(instances, keys, options, counters);
  printWork(figures, work, options);
  printKeyReads(printStatements(statements, work), work);
  printCommands(commands, work);
  printFleet(instances, figures, work);
});

function readOptions() {
  const names = Object.keys(DEFAULTS);
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });
  const options = Object.fromEntries(names.map((name) => [name, Number(values[name] ?? DEFAULTS[name])]));
  for (const name of names) {
    if (!(options[name] > 0))
      throw new BenchFailure(`--${name} must be a number above 0, but it is "${values[name]}"`);
  }
  const revoked = options.revocations * options.seconds;
  if (options.keys <= revoked)
    throw new BenchFailure(`--keys must be above ${revoked}, the number of keys that the run revokes`);
  return { ...options, accounts: Math.max(options.accounts, options.keys + 1) };
}

/** Fills the database. Returns the keys in use, and after them the key that waits for publications. */
async function filled(url, { accounts, keys }) {
  const samples = Array.from({ length: SAMPLES }, (_, n) =>
    readPublication(samplePublication(n, OPENED), OPENED),
  ).map(({ item, subMarketIds }) => ({ hex: pieces(item), subMarketIds }));
  const began = performance.now();
  await copyItems(url, ITEMS, OPENED, (n) => samples[n % SAMPLES]);
  const kept = await copyAccounts(url, accounts, keys + 1, OPENED);
  console.log(
    `${figure(accounts)} Pro accounts with one key each and ${figure(ITEMS)} items, inserted in ${since(began)}`,
  );
  return kept;
}

async function startInstances(count, settings) {
  const began = performance.now();
  const instances = [];
  for (let n = 0; n < count; n += 1) {
    const service = await startService(settings);
    const connections = new HttpConnections(service.url);
    atEnd(() => connections.close());
    instances.push({ ...service, connections });
  }
  console.log(`${count} instances ready after ${since(began)}`);
  return instances;
}

async function useKeys(instances, keys) {
  const began = performance.now();
  await useEveryKey(instances, keys, (share) =>
    console.log(`  ${Math.round(share * 100)} % after ${since(began)}`),
  );
  const rate = (instances.length * keys.length) / ((performance.now() - began) / 1_000);
  console.log(
    `first request with each of ${figure(keys.length)} keys at each instance: ${figure(Math.round(rate))} a second`,
  );
  await pause(SETTLE_MS);
}

async function measure(instances, keys, options, [statementsCounter, commandsCounter]) {
  const { seconds, rate } = options;
  const revoked = keys.slice(0, options.revocations * seconds);
  const polled = keys.slice(revoked.length, -1);
  console.log(`measuring for ${seconds} s`);
  await Promise.all([statementsCounter.reset(), commandsCounter.reset()]);
  const cpuBefore = readCpu(instances);
  const began = performance.now();
  const ending = new AbortController();
  const polling = poll({ instances, keys: polled, rate, unchangedId: `ne_${ITEMS}`, signal: ending.signal });
  polling.catch(() => {}); // The rejection is handled where it is awaited.
  const [publishing, revoking] = await Promise.all([
    publishSteadily({ instances, rate: options.publications, seconds, watchKey: keys.at(-1) }),
    revokeSteadily({ instances, rate: options.revocations, seconds, keys: revoked }),
  ]).finally(() => ending.abort());
  const polls = await polling;
  const took = (performance.now() - began) / 1_000;
  const [statements, commands] = await Promise.all([statementsCounter.read(), commandsCounter.read()]);
  const cpu = readCpu(instances).map((used, i) => used - cpuBefore[i]);
  const work = {
    requests: polls.requests + publishing.requests + revoking.requests,
    publications: publishing.count,
    revocations: revoking.count,
    seconds: took,
    instances: instances.length,
    keys: options.keys,
  };
  return { statements, commands, cpu, polls, publishing, revoking, work };
}

/** CPU seconds: of all instances, of this process with the load, and of the whole machine. */
function readCpu(instances) {
  const ofInstances = instances.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  return [ofInstances, cpuSeconds(process.pid), machineCpuSeconds()];
}

function printWork({ polls, publishing, revoking }, { requests, seconds, instances, keys }, { rate }) {
  console.log(
    `\n${instances} instances, ${figure(keys)} keys in use on each, ${seconds.toFixed(0)} s. All processes and the load share the`,
  );
  console.log(
    'processors of this machine, so the rates are those of the load and not a capacity: compare the figures for',
  );
  console.log('each request and each change.\n');
  console.log(
    `${figure(requests)} requests: ${figure(polls.requests)} polls at ${rate} a second, ${figure(polls.unchanged)} of them 304; ` +
      `${figure(publishing.requests + revoking.requests)} to see changes`,
  );
  if (polls.unavailable > 0) console.log(`${figure(polls.unavailable)} polls answered 503`);
  console.log(`${figure(publishing.count)} publications, ${figure(revoking.count)} revocations`);
  const leftOut = [polls, publishing, revoking].map((one) => figure(one.leftOut));
  if (leftOut.some((count) => count !== '0')) {
    const [ofPolls, ofPublications, ofRevocations] = leftOut;
    console.log(
      `left out, because the machine was too slow: ${ofPolls} polls, ${ofPublications} publications, ${ofRevocations} revocations`,
    );
  }
}

function printFleet(instances, { polls, publishing, revoking, cpu }, { requests, seconds }) {
  const memory = instances.map(({ pid }) => residentMb(pid)).sort((a, b) => a - b);
  const [ofInstances, ofLoad, ofMachine] = cpu;
  const share = (used) => `${((used / seconds) * 100).toFixed(0)} %`;
  console.log('');
  printTimes('response time of a poll', polls.millis);
  printTimes('publication until visible on every instance', publishing.millis);
  printTimes('revocation until refused by every instance', revoking.millis);
  console.log(`resident memory of an instance: ${memory[0]} to ${memory.at(-1)} MB`);
  console.log(
    `CPU time in percent of a core: instances ${share(ofInstances)}, load ${share(ofLoad)}, Postgres, Redis and other ` +
      `processes ${share(ofMachine - ofInstances - ofLoad)}, of ${availableParallelism()} cores`,
  );
  console.log(
    `CPU time of the instances for each request, changes included: ${((ofInstances / requests) * 1_000).toFixed(2)} ms`,
  );
}

function residentMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024);
}

function since(began) {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}

function figure(count) {
  return count.toLocaleString('en').replaceAll(',', ' ');
}
