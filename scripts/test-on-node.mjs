// Runs the tests on other versions of Node: npm run test:node -- 20 22 24 domain http/feed
// It downloads each version from the npm registry into a temporary folder, and puts it first in PATH. Without paths,
// it runs all tests. The exit code is 1 if the tests fail on one version.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const USAGE =
  'usage: npm run test:node -- <major version>… [paths]   for example: npm run test:node -- 22 24 domain';

const isVersion = (parameter) => /^\d+(?:\.\d+){0,2}$/.test(parameter);
const parameters = process.argv.slice(2).filter((parameter) => parameter !== '--');
const versions = parameters.filter(isVersion);
const paths = parameters.filter((parameter) => !isVersion(parameter));
if (versions.length === 0) fail(USAGE);

const failed = [];
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), `oddswire-node-${version}-`));
  try {
    if (!testsPass(install(version, folder))) failed.push(version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
for (const version of versions)
  console.log(`Node ${version}: ${failed.includes(version) ? 'FAILED' : 'passed'}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Installs the package that has the binary itself. The package `node` would run an install script that installs this one. */
function install(version, folder) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const { status } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${version}`,
    ],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  );
  const bin = join(folder, 'node_modules', name, 'bin');
  if (status !== 0 || !existsSync(bin)) fail(`npm cannot install ${name}@${version}`);
  return bin;
}

function testsPass(bin) {
  const node = join(bin, 'node');
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`Node ${stdout.trim()}`);
  const { status } = spawnSync(node, ['scripts/test.mjs', ...paths], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  return status === 0;
}

function fail(message) {
  console.error(`oddswire: ${message}`);
  process.exit(2);
}
