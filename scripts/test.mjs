// Runs the tests. `npm test` runs each group of folders in a separate mocha process with separate servers, one more at a
// time than the machine has processors, because many tests wait for timers of the service. Tests that measure or use the
// whole machine run alone at the end. It prints a line for each group, and the whole output of a group that failed.
// `npm test -- domain http/feed` runs only those folders or files, and prints every test; without servers, if none of them needs
// any. `--grep text` runs only tests whose titles have this text.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const MOCHA = 'node_modules/mocha/bin/mocha.js';
const BUILT = 'dist/test/';
/** Groups of folders, one process each. The slowest come first, so that no slow group runs alone at the end. */
const SIDE_BY_SIDE = [
  ['adapters'],
  ['ops/image'],
  ['service/stores/a', 'service/stores/c', 'service/stores/h'],
  ['service/stores'],
  ['service/faults/pauses', 'service/faults/undelivered'],
  ['service/faults/chaos'],
  ['service/faults'],
  ['service/process'],
  ['browser'],
  ['service/black-box', 'service/api', 'service/retention', 'service/versions', 'service/restores'],
  ['client/service', 'client/package'],
  ['ops/package'],
  ['service/live', 'service/mcp'],
  ['ops/doctor/doctor', 'ops/doctor/mail'],
  ['ops/doctor'],
  ['ops/drills'],
  ['ops/proxies'],
  ['ops/manifests'],
  ['ops/alerts'],
  ['contract'],
  ['http/listener'],
  ['http'],
  ['domain', 'doctor', 'application', 'client'],
];
/** Tests that measure a limit that users are promised, and print the figures. */
const ALONE = [['service/faults/strangers', 'service/faults/slow-postgres'], ['service/fair-shares']];
/** Tests that need no servers and no browser. http/listener is left out, because it waits for real sockets. */
const UNIT = [
  ['http/accounts', 'http/answer', 'http/feed', 'http/keys', 'http/limits', 'http/operations'],
  ['http/dashboard', 'http/operator'],
  ['domain', 'doctor/rules', 'settings'],
  ['application', 'client/rules'],
];
const OPTIONS = [
  '--no-config',
  '--node-option',
  'enable-source-maps',
  '--timeout',
  '20000',
  '--forbid-only',
  '--exit',
];
/** What the temporary files of all tests need at most. */
const MEMORY_BYTES_MIN = 8 * 1_024 ** 3;
const SERVERS = ['--require', './dist/test/support/hooks.js'];

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
  const results = values.unit ? await runSideBySide(groupsOf(UNIT), []) : await runEverything();
  process.exitCode = report(results);
}

async function runSome() {
  const { files } = groupsOf([names.length === 0 ? [''] : names.map(builtName)])[0];
  const isUnit = (file) => UNIT.flat().some((folder) => file.startsWith(`${BUILT}${folder}`));
  const grep = values.grep === undefined ? [] : ['--grep', values.grep];
  return ended(start(files, [...(files.every(isUnit) ? [] : SERVERS), ...grep], 'inherit'));
}

async function runEverything() {
  const groups = groupsOf([...ALONE, ...SIDE_BY_SIDE, ['']]);
  const results = await runSideBySide(groups.slice(ALONE.length), SERVERS);
  for (const group of groups.slice(0, ALONE.length)) results.push(await run(group, SERVERS, true));
  return results;
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

async function runSideBySide(groups, hooks) {
  const waiting = [...groups];
  const results = [];
  const lane = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
      results.push(await run(group, hooks));
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane));
  return results;
}

async function run({ name, files }, hooks, isShown = false) {
  const from = performance.now();
  const mocha = start(files, hooks, 'pipe');
  const [written, faults, code] = await Promise.all([text(mocha.stdout), text(mocha.stderr), ended(mocha)]);
  const count = (kind) => Number(written.match(new RegExp(`^ *(\\d+) ${kind}`, 'm'))?.[1] ?? 0);
  const result = {
    name,
    code,
    passing: count('passing'),
    pending: count('pending'),
    skipped: [...written.matchAll(/^skipped: (.+)$/gm)].map(([, title]) => title),
    failing: count('failing'),
  };
  if (isShown || code !== 0) process.stdout.write(`${written}${faults}`);
  console.log(`${name}: ${result.passing} passing in ${seconds(from)}${code === 0 ? '' : ', FAILED'}`);
  return result;
}

function start(files, hooks, stdio) {
  const reporter = stdio === 'pipe' ? ['--reporter', './scripts/dot-reporter.cjs'] : [];
  const child = spawn(process.execPath, [MOCHA, ...OPTIONS, ...hooks, ...reporter, ...files], {
    stdio: ['inherit', stdio, stdio],
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

async function ended(child) {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Prints totals in the format of mocha, for scripts that parse it. A group that was aborted counts as one failure. */
function report(results) {
  const total = (kind) => results.reduce((sum, result) => sum + result[kind], 0);
  const aborted = results.filter(({ code, failing }) => code !== 0 && failing === 0);
  console.log(`\n  ${total('passing')} passing (${seconds(started)})`);
  if (total('pending') > 0) console.log(`  ${total('pending')} pending`);
  for (const { skipped } of results) for (const title of skipped) console.log(`    skipped: ${title}`);
  console.log(`  ${total('failing') + aborted.length} failing`);
  return results.some(({ code }) => code !== 0) ? 1 : 0;
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
