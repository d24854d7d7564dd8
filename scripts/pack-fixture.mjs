// Packs the build of this commit as test/fixtures/oddswire-<version>.tgz, which tests run as the previous version. Run it
// on the commit of a release: node scripts/pack-fixture.mjs. The archive contains only compiled JavaScript and package.json.
// The same build gives the same bytes: files are sorted and have no times or owners. Needs GNU tar.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BYTES_MAX = 1_000_000;
const TAR = [
  '--create',
  '--format=ustar',
  '--no-recursion',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
];

const run = (command, args, options) => {
  const { status, error, stdout } = spawnSync(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
};
const fail = (message) => {
  console.error(`oddswire: ${message}`);
  process.exit(1);
};

run(process.execPath, ['scripts/setup.mjs']);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const compiled = readdirSync('dist/src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js'))
  .map((file) => `dist/src/${file}`)
  .sort();
const names = ['package.json', ...compiled];
const archive = run('tar', [...TAR, '--mode=0644', '--files-from=-'], {
  input: names.join('\n'),
  maxBuffer: 64 * BYTES_MAX,
});
const packed = gzipSync(archive, { level: 9 });
if (packed.length > BYTES_MAX)
  fail(`the archive has ${packed.length} bytes; at most ${BYTES_MAX} are allowed`);
mkdirSync('test/fixtures', { recursive: true });
const file = `test/fixtures/oddswire-${version}.tgz`;
writeFileSync(file, packed);
const hash = createHash('sha256').update(packed).digest('hex').slice(0, 12);
console.log(`${file}: ${names.length} files, ${packed.length} bytes, sha256 ${hash}`);
