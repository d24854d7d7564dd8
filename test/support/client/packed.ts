import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const PROJECT = resolve(import.meta.dirname, '../../../..');

export const run = promisify(execFile);

/** Runs npm without its notices. */
export const npm = async (folder: string, ...parameters: readonly string[]): Promise<string> => {
  const { stdout } = await run('npm', [...parameters, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  });
  return stdout;
};

/** Packs the client as it is built, without building it again beside tests that use it, and returns the file. */
export const packClient = (folder: string): Promise<string> =>
  npmPack(join(PROJECT, 'packages/client'), folder, '--ignore-scripts');

/** Packs a package into a folder, as npm publishes it, and returns the file. */
export async function npmPack(
  source: string,
  folder: string,
  ...parameters: readonly string[]
): Promise<string> {
  const output = await npm(source, 'pack', '--json', '--pack-destination', folder, ...parameters);
  const packed: unknown = JSON.parse(output);
  // npm 11 prints a list; later versions print an object by package name.
  const [{ filename }] = Object.values(packed as object) as [{ readonly filename: string }];
  return join(folder, filename);
}
