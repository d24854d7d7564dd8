// What a process serves when more is asked of it than it can answer: goodput and delay at 0.5 to 3 times its capacity, and
// after it, with clients that do not wait; then the same beside strangers without a key. The speed of a machine can change within
// seconds, so the capacity is measured before and after each load.
//   [ROUNDS=3] npm run bench:overload
// Needs a C compiler (`cc`): the load must not slow down with the service, and Node cannot offer three times what it serves.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SETTINGS } from './contestants.mjs';
import { proKeys, publish } from './internal-calls.mjs';
import { atEnd, BenchFailure, runBench } from './run-bench.mjs';
import { sampleItems } from './sample-items.mjs';
import { ROOT, startService } from './service.mjs';
import { setting } from './setting.mjs';

const PATH = '/pm/v2/news?limit=50';
const PATIENCE_MS = 2_000;
const LOADS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3];
/** The load before and after each load, and how long. The service is back when it serves this in time again. */
const ORDINARY = 0.5;
const BEFORE_SECONDS = 2;
const AFTER_SECONDS = 5;
const BACK_P99_MS = 100;
/** If the capacity changed by more, the row says nothing about the service. */
const CAPACITY_CHANGE_MAX = 1.2;

/** The service has a core of its own, which the load does not use, if the machine has two and `taskset`. */
const hasCores = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

await runBench(async () => {
  const keyCount = setting('KEYS', 1);
  const connections = setting('CONNECTIONS', 5_000);
  const seconds = setting('SECONDS', 4);
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-overload-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const program = compile(folder);

  const service = await startService({ ...SETTINGS, CONNECTIONS_PER_ADDRESS: '100000' });
  await publish(service, sampleItems(), 'backfill');
  const keys = join(folder, 'keys');
  writeFileSync(keys, (await proKeys(service, keyCount)).join('\n'));
  pin(service.pid);
  const { port } = new URL(service.url);
  const offer = (keyFile, connectionsMax, ...phases) =>
    run(program, [port, PATH, keyFile, connectionsMax, PATIENCE_MS, ...phases]);

  const offerKeys = (connectionsMax, ...phases) => offer(keys, connectionsMax, ...phases);
  await offerKeys(50, '500:2', '4000:3'); // V8 compiles what is used.
  const capacity = await capacityNow(offerKeys);
  console.log(
    `Capacity: ${capacity} pages/s. ${connections} connections, ${keyCount} keys, patience ${PATIENCE_MS} ms.`,
  );
  await curve(offerKeys, connections, seconds);
  await besideStrangers(offer, { keys, connections, capacity, seconds });
  await service.stop();
});

/** What a few clients get that each send the next request after the answer. */
async function capacityNow(offer) {
  return median((await offer(40, '40000:3')).slice(1).map(({ ok }) => ok));
}

async function curve(offer, connections, seconds) {
  console.log(
    'load  capacity before, after  goodput / capacity  refused  lost  abandoned  p99 of served  back after',
  );
  for (let round = 0; round < setting('ROUNDS', 1); round += 1) {
    for (const load of LOADS) {
      const before = await capacityNow(offer);
      const ordinary = Math.round(before * ORDINARY);
      const rows = await offer(
        connections,
        `${ordinary}:${BEFORE_SECONDS}`,
        `${Math.round(load * before)}:${seconds}`,
        `${ordinary}:${AFTER_SECONDS}`,
      );
      printRow({ load, before, after: await capacityNow(offer), rows, seconds });
    }
  }
}

async function besideStrangers(offer, { keys, connections, capacity, seconds }) {
  const share = Math.round(capacity * 0.4);
  const [customers] = await Promise.all([
    offer(keys, 200, `${share}:${4 + 2 * seconds}`),
    offer(
      '-',
      connections,
      `10:4`,
      `${Math.round(capacity * 0.5)}:${seconds}`,
      `${Math.round(capacity * 1.5)}:${seconds}`,
    ),
  ]);
  for (const [name, from, to] of [
    ['alone', 2, 4],
    ['beside strangers at 0.5', 4, 4 + seconds],
    ['beside strangers at 1.5', 4 + seconds, 4 + 2 * seconds],
  ]) {
    console.log(`Customers at 0.4, ${name}: ${format(summary(customers.slice(from, to)))}`);
  }
}

function compile(folder) {
  const program = join(folder, 'load');
  const { status, error, stderr } = spawnSync('cc', [
    '-O2',
    '-std=c11',
    '-o',
    program,
    join(ROOT, 'bench/overload/load.c'),
    '-lm',
  ]);
  if (status === 0) return program;
  throw new BenchFailure(`the load generator needs a C compiler (cc): ${error?.message ?? stderr}`);
}

function pin(pid) {
  if (hasCores) spawnSync('taskset', ['-acp', '0', String(pid)]);
}

/** The seconds of a run, as `load.c` prints them. */
async function run(program, args) {
  const load = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  if (hasCores) spawnSync('taskset', ['-cp', '1', String(load.pid)]);
  atEnd(() => load.kill());
  const output = await text(load.stdout);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function printRow({ load, before, after, rows, seconds }) {
  const during = rows.slice(BEFORE_SECONDS, BEFORE_SECONDS + seconds);
  const { ok, refused, lost, abandoned, p99 } = summary(during);
  const goodput = (ok / seconds / ((before + after) / 2)).toFixed(2);
  const isSteady = Math.max(before, after) <= CAPACITY_CHANGE_MAX * Math.min(before, after);
  const later = rows.slice(BEFORE_SECONDS + seconds);
  // The last second that was not served in time.
  const back = 1 + later.findLastIndex((row) => row.ok < 0.95 * row.offered || row.p99 > BACK_P99_MS);
  const cells = [
    `${load}`.padEnd(4),
    `${before}, ${after}`.padStart(23),
    goodput.padStart(18),
    ...[refused, lost, abandoned],
    `${p99} ms`,
    back < later.length ? `${back} s` : `not in ${back} s`,
  ];
  console.log(`${cells.join('  ')}${isSteady ? '' : '  (the capacity changed)'}`);
}

function summary(rows) {
  const sum = (name) => rows.reduce((all, row) => all + row[name], 0);
  const p99 = median(rows.map((row) => row.p99));
  return {
    offered: sum('offered'),
    ok: sum('ok'),
    refused: sum('refused'),
    lost: sum('lost'),
    abandoned: sum('abandoned'),
    p99,
  };
}

function format({ offered, ok, p99 }) {
  return `${((100 * ok) / offered).toFixed(1)} % served, p99 ${p99} ms`;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
