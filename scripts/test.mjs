// Runs the tests. `npm test` runs groups of folders in lanes: processes with separate servers, as many as the machine has
// processors, because the tests and their servers use all of them. A lane that is free takes the next group. Tests that measure or
// use the whole machine run alone at the end. It prints a line for each group, and the whole output of a group that failed.
// `npm test -- domain http/feed` runs only those folders or files, and prints every test; without servers, if none of them needs
// any. `--grep text` runs only tests whose titles have this text.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const MOCHA = 'node_modules/mocha/bin/mocha.js';
const LANE = 'scripts/test-lane.mjs';
const BUILT = 'dist/test/';
/** Groups of folders. The slowest come first, so that no slow group runs alone at the end. */
const SIDE_BY_SIDE = [
  ['ops/image'],
  ['adapters/postgres/'],
  ['service/stores/w'],
  ['service/stores/a', 'service/stores/c', 'service/stores/h'],
  ['service/stores'],
  ['service/faults/undelivered'],
  ['service/faults/d', 'service/faults/f'],
  ['service/faults'],
  ['browser'],
  ['contract'],
  ['service/process'],
  ['adapters'],
  ['service/black-box', 'service/api', 'service/retention', 'service/versions', 'service/restores'],
  ['client/service', 'client/package'],
  ['ops/package'],
  ['service/live', 'service/mcp'],
  ['ops/doctor'],
  ['ops/drills'],
  ['ops/proxies'],
  ['http/listener'],
  ['http'],
  ['ops/alerts'],
  ['ops/manifests'],
  ['domain', 'doctor', 'application', 'client'],
];
/** Tests that measure a limit that users are promised, and print the figures. */
const ALONE = [
  ['service/faults/strangers', 'service/faults/slow-postgres', 'service/faults/unwritable-postgres'],
  ['service/fair-shares'],
  ['service/faults/chaos', 'service/restores/older-server', 'service/restores/older-state'],
  ['ops/doctor/lacking-engines', 'service/faults/pauses'],
];
/** Tests that need no servers and no browser. http/listener is left out, because it waits for real sockets. */
const UNIT = [
  ['http/accounts', 'http/answer', 'http/feed', 'http/keys', 'http/limits', 'http/operations'],
  ['http/dashboard', 'http/operator'],
  ['domain', 'doctor/rules', 'settings'],
  ['application', 'client/rules'],
];
/** Only for a test that hangs: on a slow machine, a long property needs 20 s beside other lanes. */
const TIMEOUT_MS = 60_000;
const OPTIONS = ['--no-config', '--timeout', String(TIMEOUT_MS), '--forbid-only', '--exit'];
/** The last line of the output of a group. */
const RESULT = /\0(.+)\n/;
const LANES = availableParallelism();
/** What the temporary files of all tests need at most. */
const MEMORY_BYTES_MIN = 8 * 1_024 ** 3;
const HOOKS = './dist/test/support/hooks.js';

const started = performance.now();
const temporary = temporaryFolder();
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
const children = new Set();
process.once('SIGTERM', () => {
  for (const child of children) child.kill();
  process.exit(143);
});
const { values, positionals: names } = parseArgs({
  options: { unit: { type: 'boolean' }, grep: { type: 'string' } },
  allowPositionals: true,
});
if (names.length > 0 || values.grep !== undefined) {
  process.exitCode = await runSome();
} else {
  const results = values.unit ? await runInLanes(groupsOf(UNIT), LANES, []) : await runEverything();
  process.exitCode = report(results);
}

async function runSome() {
  const { files } = groupsOf([names.length === 0 ? [''] : names.map(builtName)])[0];
  const isUnit = (file) => UNIT.flat().some((folder) => file.startsWith(`${BUILT}${folder}`));
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  const hooks = files.every(isUnit) ? [] : ['--require', HOOKS];
  const [code] = await once(start([MOCHA, ...OPTIONS, ...hooks, ...grep, ...files], 'inherit'), 'exit');
  return code ?? 1;
}

async function runEverything() {
  const groups = groupsOf([...ALONE, ...SIDE_BY_SIDE, ['']]);
  const results = await runInLanes(groups.slice(ALONE.length), LANES, [HOOKS]);
  return [...results, ...(await runInLanes(groups.slice(0, ALONE.length), 1, [HOOKS], true))];
}

/** Assigns each spec file to the first group that names it or its folder. */
function groupsOf(lists) {
  const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.spec.js'),
  );
  const left = new Set(files.sort());
  return lists.map((prefixes) => {
    const own = [...left].filter((file) => prefixes.some((prefix) => file.startsWith(prefix)));
    for (const file of own) left.delete(file);
    return { name: prefixes.join(', ') || 'others', files: own.map((file) => BUILT + file) };
  });
}

/** Maps `test/http/feed/validator.spec.ts` or `http/feed` to its path in `dist/test`. */
function builtName(name) {
  return name.replace(/^(dist\/)?test\//, '').replace(/\.ts$/, '.js');
}

async function runInLanes(groups, lanes, hooks, isShown = false) {
  const waiting = [...groups];
  const results = [];
  const takeGroups = async () => {
    let lane = openLane(hooks);
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(lane, group, isShown);
      results.push(result);
      if (result.isAborted) lane = openLane(hooks);
    }
    await lane.close();
  };
  await Promise.all(Array.from({ length: lanes }, takeGroups));
  return results;
}

async function runGroup(lane, { name, files }, isShown) {
  const from = performance.now();
  const { output, ...result } = await lane.run(files);
  const isFailed = result.isAborted || result.failing > 0;
  if (isShown || isFailed) process.stdout.write(output);
  console.log(`${name}: ${result.passing} passing in ${seconds(from)}${isFailed ? ', FAILED' : ''}`);
  return result;
}

/** A process that runs groups (`test-lane.mjs`). If it ends during a group, the group is aborted. */
function openLane(hooks) {
  const child = start([LANE, ...hooks], 'pipe');
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      child.emit('output');
    });
  child.stdin.on('error', () => {}); // It has ended: then it closes too.
  return {
    run: async (files) => {
      child.stdin.write(`${JSON.stringify({ files, timeout: TIMEOUT_MS })}\n`);
      let isOpen = true;
      while (isOpen && !RESULT.test(output))
        isOpen = await Promise.race([once(child, 'output').then(() => true), closed.then(() => false)]);
      const [line, result] = RESULT.exec(output) ?? ['', '{"passing":0,"pending":0,"failing":0}'];
      const shown = output.replace(line, '');
      output = '';
      const skipped = [...shown.matchAll(/^skipped: (.+)$/gm)].map(([, title]) => title);
      return { ...JSON.parse(result), skipped, output: shown, isAborted: line === '' };
    },
    close: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

function start(parameters, stdio) {
  const child = spawn(process.execPath, ['--enable-source-maps', ...parameters], {
    stdio: [stdio, stdio, stdio],
    env: { ...process.env, TMPDIR: temporary, TEST_RUN_FOLDER: temporary },
  });
  children.add(child);
  return child;
}

/** In memory, where there is room: a new Postgres then takes a quarter of the time. Servers run as other users. */
function temporaryFolder() {
  const hasRoom = (folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize >= MEMORY_BYTES_MIN;
    } catch {
      return false;
    }
  };
  const folder = mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'oddswire-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** Prints totals in the format of mocha, for scripts that parse it. A group that was aborted counts as one failure. */
function report(results) {
  const total = (kind) => results.reduce((sum, result) => sum + result[kind], 0);
  const failing = total('failing') + results.filter(({ isAborted }) => isAborted).length;
  console.log(`\n  ${total('passing')} passing (${seconds(started)})`);
  if (total('pending') > 0) console.log(`  ${total('pending')} pending`);
  for (const { skipped } of results) for (const title of skipped) console.log(`    skipped: ${title}`);
  console.log(`  ${failing} failing`);
  return failing > 0 ? 1 : 0;
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
