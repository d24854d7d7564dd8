import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd, BenchFailure } from './run-bench.mjs';
import { ROOT } from './service.mjs';

const SET_UP = 'scripts/setup.mjs';
/** The file in which npm records the installed packages; `setup.mjs` compares its time with that of the lock file. */
const INSTALLED = '.package-lock.json';

/** The full hash of a commit and its first line. Throws `BenchFailure` if there is no such commit. */
export function findCommit(name) {
  const found = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (name.startsWith('-') || found.status !== 0) {
    const why = found.error?.message ?? found.stderr.split('\n')[0];
    throw new BenchFailure(`there is no commit "${name}" in this repository${why ? ` (${why})` : ''}`);
  }
  const hash = found.stdout.trim();
  return { hash, title: git('log', '-1', '--format=%h %s', hash).stdout.trim() };
}

/** A description of the working tree for the report. */
export function describeWorkingTree() {
  const isChanged = git('status', '--porcelain').stdout !== '';
  return `the working tree, ${findCommit('HEAD').title}${isChanged ? ', with uncommitted changes' : ''}`;
}

/** Checks a commit out into a temporary folder, builds it with its own set-up script, and returns the folder. */
export async function buildCommit({ hash, title }) {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-commit-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const archive = join(folder, 'commit.tar');
  await run('git', ['-C', ROOT, 'archive', '--format=tar', `--output=${archive}`, hash], folder);
  await run('tar', ['-xf', archive], folder);
  rmSync(archive);
  if (!existsSync(join(folder, SET_UP)))
    throw new BenchFailure(`commit ${title} cannot be built: ${SET_UP} is missing`);
  if (hasSamePackages(folder)) linkPackages(folder);
  console.log(
    `building ${title}${existsSync(join(folder, 'node_modules')) ? '' : ', with its own packages'}`,
  );
  await run(process.execPath, [SET_UP], folder);
  return folder;
}

function git(...args) {
  return spawnSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
}

function hasSamePackages(folder) {
  const [ours, theirs] = [ROOT, folder].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return ours === theirs;
}

/**
 * Links each package of the working tree separately. With one link to the whole folder, an `npm ci` in the other folder
 * would delete the packages of the working tree.
 */
function linkPackages(folder) {
  const [ours, theirs] = [ROOT, folder].map((root) => join(root, 'node_modules'));
  mkdirSync(theirs);
  for (const name of readdirSync(ours))
    if (name !== INSTALLED) symlinkSync(join(ours, name), join(theirs, name));
  // Copied last: it must be newer than the lock file that was checked out.
  copyFileSync(join(ours, INSTALLED), join(theirs, INSTALLED));
}

/** Runs a command in its own process group, so that Ctrl-C also ends the processes that it has started. */
async function run(command, args, folder) {
  const child = spawn(command, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  atEnd(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, 'SIGKILL');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code] = await closed;
  if (code !== 0) throw new BenchFailure(`"${[command, ...args].join(' ')}" failed:\n${output.trim()}`);
}
