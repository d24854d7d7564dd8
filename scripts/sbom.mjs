// Writes dist/sbom.cdx.json: the software bill of materials (CycloneDX) of the production packages, from package-lock.json.
// `--with-optional` adds the optional packages, on all their platforms.
// `npm sbom --omit=dev` alone is not used: it omits each production package on which a development package also depends.
// This script therefore gives npm a copy of the lock file that has no development packages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILE = 'dist/sbom.cdx.json';

const jsonOf = (file) => JSON.parse(readFileSync(file, 'utf8'));
const withOptional = process.argv.includes('--with-optional');
const { devDependencies, workspaces, scripts, ...manifest } = jsonOf('package.json');
if (!withOptional) delete manifest.optionalDependencies;

const folder = mkdtempSync(join(tmpdir(), 'oddswire-sbom-'));
try {
  const project = join(folder, manifest.name); // npm takes the name of the application from the folder.
  mkdirSync(project);
  const bill = billIn(project);
  mkdirSync('dist', { recursive: true });
  writeFileSync(FILE, bill);
  console.error(`${FILE}: ${JSON.parse(bill).components.length} packages`);
} finally {
  rmSync(folder, { recursive: true });
}

function billIn(project) {
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(productionLock()));
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--loglevel=error'],
    { cwd: project, encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 64_000_000 },
  );
  if (status === 0) return stdout;
  console.error(`oddswire: cannot write ${FILE}: npm sbom failed: ${error?.message ?? stderr}`);
  process.exit(1);
}

function productionLock() {
  const lock = jsonOf('package-lock.json');
  const isKept = ([path, { dev, optional, devOptional, link }]) =>
    path.startsWith('node_modules/') && !dev && !link && (withOptional || !(optional || devOptional));
  const kept = Object.entries(lock.packages).filter(isKept);
  return { ...lock, packages: { '': manifest, ...Object.fromEntries(kept) } };
}
