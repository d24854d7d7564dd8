import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A Chromium that runs on this machine, where it was found, and the environment that it needs. */
export type Chromium = {
  readonly file: string;
  readonly origin: string;
  readonly environment: Readonly<Record<string, string>>;
};

type Environment = { readonly [name: string]: string | undefined };

/** That of `CHROMIUM_BIN`, the system's, or that of the npm package `@sparticuz/chromium`, in this order. */
export async function findChromium(environment: Environment = process.env): Promise<Chromium> {
  const given = environment['CHROMIUM_BIN'];
  if (given) {
    if (!isFile(given)) throw new Error(`CHROMIUM_BIN names no file: ${given}`);
    return { file: resolve(given), origin: 'CHROMIUM_BIN', environment: {} };
  }
  // On Ubuntu, `chromium-browser` may only print how to install it.
  const installed = systemsOwn(environment['PATH'] ?? '').find((file) => faultOf(file, {}) === undefined);
  if (installed !== undefined) return { file: installed, origin: `system (${installed})`, environment: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return packaged();
  throw new Error(
    'no Chromium was found for the tests: set CHROMIUM_BIN, or install one with ' +
      '`apt-get install chromium` or `brew install --cask google-chrome`',
  );
}

function systemsOwn(path: string): readonly string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .concat('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome')
    .filter(isFile);
}

async function packaged(): Promise<Chromium> {
  const folder = await unpacked();
  const file = join(folder, 'chromium');
  const own = join(folder, 'al2023', 'lib');
  const given = process.env['LD_LIBRARY_PATH'];
  const libraries = { LD_LIBRARY_PATH: given ? `${own}${delimiter}${given}` : own };
  // Prefers the libraries of the machine, which are newer; the package has those that a bare machine lacks.
  const needed = [{}, libraries].find((some) => faultOf(file, some) === undefined);
  if (needed === undefined) {
    throw new Error(
      `the Chromium of the npm package does not run here (${faultOf(file, libraries)}): ` +
        'set CHROMIUM_BIN, or install one with `apt-get install chromium`',
    );
  }
  const suffix = needed === libraries ? ', with its libraries' : '';
  const environment = { ...needed, FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') };
  return { file, origin: `npm (@sparticuz/chromium${suffix})`, environment };
}

/** The error of `--version`; undefined if the file runs. */
function faultOf(file: string, environment: Readonly<Record<string, string>>): string | undefined {
  const env = { ...process.env, ...environment };
  const { status, stderr, error } = spawnSync(file, ['--version'], { env, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * Unpacks the package into a folder, which appears complete, by a rename. If two runs unpack at the same time, the
 * later one discards its copy.
 */
export async function unpacked(cache: string = resolve('.cache', 'chromium')): Promise<string> {
  const entry = import.meta.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', entry), 'utf8'));
  const folder = join(cache, String(version));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'unpacking-'));
  try {
    await unpack(entry, temporary);
    writeFileSync(join(temporary, 'fonts', 'fonts.conf'), FONTS);
    renameSync(temporary, folder);
  } catch (fault) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw fault;
  }
  return folder;
}

/** The package unpacks only to the temporary folder, and its libraries only on Lambda: the environment sets both. */
async function unpack(entry: string, folder: string): Promise<void> {
  const script = `import chromium from ${JSON.stringify(entry)}; await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env });
}

/** Replaces the file of the package, which names folders of Lambda. Fonts of the machine come first. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
