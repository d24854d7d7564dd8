// What a process serves when more is asked of it than it can answer: goodput and delay at 0.5 to 3 times its capacity, and
// after it, with clients that do not wait; then the same beside strangers without a key.
//   npm run bench:overload
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
const LOADS = [0.5, 1, 1.5, 2, 2.5, 3, 0.5];

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

  await offer(keys, 50, '500:2', '4000:3'); // V8 compiles what is used.
  const capacity = median((await offer(keys, 40, '40000:5')).slice(1).map(({ ok }) => ok));
  console.log(
    `Capacity: ${capacity} pages/s. ${connections} connections, ${keyCount} keys, patience ${PATIENCE_MS} ms.`,
  );
  const rows = await offer(
    keys,
    connections,
    ...LOADS.map((load) => `${Math.round(load * capacity)}:${seconds}`),
  );
  printRows(rows, capacity, seconds);

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
  await service.stop();
});

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

function printRows(rows, capacity, seconds) {
  console.log('load  goodput / capacity  refused  lost  abandoned  p99 of served (ms)');
  for (const [i, load] of LOADS.entries()) {
    const { ok, refused, lost, abandoned, p99 } = summary(rows.slice(i * seconds, (i + 1) * seconds));
    const goodput = (ok / seconds / capacity).toFixed(2);
    console.log([`${load}`.padEnd(4), goodput.padStart(18), refused, lost, abandoned, p99].join('  '));
  }
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
