// Runs the tests. `npm test` runs every folder of test/ in a mocha process of its own, with servers of its own, as many
// at a time as the machine has processors; what measures time or takes the whole machine runs alone, at the end. It
// prints a line for each folder, and all that a folder wrote that failed.
// `npm test -- domain http/feed` runs those folders or files alone, and prints every test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

const MOCHA = 'node_modules/mocha/bin/mocha.js';
const BUILT = 'dist/test/';
/** Groups, each of folders in one process; the slowest first, so that none is left to run by itself at the end. */
const SIDE_BY_SIDE = [
  ['service/faults'],
  ['service/stores'],
  ['service/process'],
  ['browser'],
  ['service/black-box', 'service/api'],
  ['adapters'],
  ['contract'],
  ['http/listener'],
  ['http'],
  ['domain', 'application'],
];
/** What measures a bound that users are promised, and prints what it measured. */
const ALONE = [['service/faults/strangers']];
/** These need neither servers nor a browser; http/listener is left out, because it waits for real sockets. */
const UNIT = [
  ['http/accounts', 'http/answer', 'http/feed', 'http/keys', 'http/limits', 'http/operations'],
  ['http/dashboard', 'http/operator'],
  ['domain'],
  ['application'],
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
const SERVERS = ['--require', './dist/test/support/hooks.js'];

const started = performance.now();
const asked = process.argv.slice(2);
if (asked.length > 0 && asked[0] !== '--unit') {
  const mocha = start(groupsOf([asked.map(builtName)])[0].files, SERVERS, 'inherit');
  process.exitCode = await ended(mocha);
} else {
  const results = asked[0] === '--unit' ? await runSideBySide(groupsOf(UNIT), []) : await runEverything();
  process.exitCode = report(results);
}

async function runEverything() {
  const groups = groupsOf([...ALONE, ...SIDE_BY_SIDE, ['']]);
  const results = await runSideBySide(groups.slice(ALONE.length), SERVERS);
  for (const group of groups.slice(0, ALONE.length)) results.push(await run(group, SERVERS, true));
  return results;
}

/** Each spec file belongs to the first group that names it, or a folder that it is in. */
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

/** `test/http/feed/validator.spec.ts` and `http/feed` are both names of what is in `dist/test`. */
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
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
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
    failing: count('failing'),
  };
  if (isShown || code !== 0 || result.pending > 0) process.stdout.write(`${written}${faults}`);
  console.log(`${name}: ${result.passing} passing in ${seconds(from)}${code === 0 ? '' : ', FAILED'}`);
  return result;
}

function start(files, hooks, stdio) {
  const reporter = stdio === 'pipe' ? ['--reporter', 'dot'] : [];
  return spawn(process.execPath, [MOCHA, ...OPTIONS, ...hooks, ...reporter, ...files], {
    stdio: ['inherit', stdio, stdio],
  });
}

async function ended(child) {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Ends as mocha does, for whoever counts. A group that broke off counts as one that failed. */
function report(results) {
  const total = (kind) => results.reduce((sum, result) => sum + result[kind], 0);
  const broken = results.filter(({ code, failing }) => code !== 0 && failing === 0);
  console.log(`\n  ${total('passing')} passing (${seconds(started)})`);
  if (total('pending') > 0) console.log(`  ${total('pending')} pending`);
  console.log(`  ${total('failing') + broken.length} failing`);
  return results.some(({ code }) => code !== 0) ? 1 : 0;
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
