// Builds the client of the API, a package of its own, and packs it as npm does. It uses only Node itself until it compiles.
// `npm pack` and `npm publish` of the client start this file (`prepack`), so that a package never lacks its code.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const PROJECT = resolve(import.meta.dirname, '..');
export const CLIENT = 'packages/client';
export const COMPILER = 'node_modules/typescript/bin/tsc';
const BLOCK_BYTES = 512;

if (process.argv[1] === import.meta.filename) await prepack();

async function prepack() {
  process.chdir(PROJECT);
  // Standard output belongs to npm, which prints there what it packed.
  if (!existsSync(COMPILER)) run('npm', ['ci', '--no-audit', '--no-fund']);
  await buildClient();
}

function run(command, args) {
  const stdio = ['ignore', process.stderr, 'inherit'];
  const { status } = spawnSync(command, args, { stdio, shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

/** A readable file for Node and browsers with its source map and its types, and the program `oddswire`. */
export async function buildClient() {
  const fresh = `${CLIENT}/dist.${process.pid}`;
  run(process.execPath, [COMPILER, '-p', CLIENT, '--outDir', fresh]);
  const { buildSync } = await import('esbuild'); // It may not be installed before.
  const bundle = (source, out, settings) =>
    buildSync({
      entryPoints: [`${CLIENT}/src/${source}`],
      outfile: `${fresh}/${out}`,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'warning',
      ...settings,
    });
  bundle('index.ts', 'index.js', { sourcemap: true });
  bundle('command/main.ts', 'command/oddswire.js', { platform: 'node' });
  replace(`${CLIENT}/dist`, fresh);
}

/** Puts a new folder in the position of the old one by renames, so that no reader sees an incomplete folder. */
export function replace(folder, fresh) {
  const old = `${fresh}.old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Writes the built client into the folder, as a file that npm installs. The same sources give the same bytes: they are not compressed,
 * because versions of zlib compress differently, and lock files of users have the hash.
 */
export function packClient(folder) {
  const { name, version, files } = JSON.parse(readFileSync(`${CLIENT}/package.json`, 'utf8'));
  const paths = ['LICENSE', 'README.md', 'package.json', ...files.flatMap(filesOf)].sort();
  const entries = paths.flatMap((path) => tarEntry(`package/${path}`, readFileSync(`${CLIENT}/${path}`)));
  const packed = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 0 });
  packed[9] = 255; // Otherwise the header names the operating system.
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name.replace('@', '').replace('/', '-')}-${version}.tgz`, packed);
}

function filesOf(path) {
  if (statSync(`${CLIENT}/${path}`).isFile()) return [path];
  return readdirSync(`${CLIENT}/${path}`).flatMap((name) => filesOf(`${path}/${name}`));
}

/** A file of a tar archive (POSIX ustar): a header, and the bytes up to a full block. Times and owners are constant. */
function tarEntry(path, bytes) {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (number, digits) => `${number.toString(8).padStart(digits, '0')}\0`;
  header.write(path, 0);
  header.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(bytes.length, 11) + octal(0, 11), 100);
  header.write(' '.repeat(8), 148); // The checksum counts its own field as spaces.
  header.write('0', 156); // A regular file.
  header.write('ustar\x0000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte),
      6,
    )} `,
    148,
  );
  return [header, bytes, Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1))];
}
