import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Finding, skipped } from '../adapters/findings/check.js';
import { openFilesMax } from '../adapters/system/open-files.js';
import type { Config } from '../settings/config.js';
import { diskFinding } from './rules/free-disk.js';
import { openFilesFinding } from './rules/open-files.js';
import type { DoctorCheck } from './run-checks.js';

export function machineChecks(config: Config): readonly DoctorCheck[] {
  const { stateDir, embeddedDatabase, operatorToken, publisherToken, streamsMax } = config;
  const writesTokens = operatorToken === undefined || publisherToken === undefined;
  return [
    {
      check: 'disk STATE_DIR',
      run: async () =>
        writesTokens
          ? folderFinding(stateDir, false)
          : skipped('the service writes no file: both tokens are set'),
    },
    ...(embeddedDatabase === undefined
      ? []
      : [{ check: 'disk DATABASE_URL', run: () => folderFinding(embeddedDatabase, true) }]),
    { check: 'open files', run: async () => openFilesFinding(openFilesMax(), streamsMax) },
  ];
}

async function folderFinding(folder: string, hasDatabase: boolean): Promise<Finding> {
  const existing = await firstExisting(resolve(folder));
  const isWritable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const { bavail, blocks, bsize } = await statfs(existing);
  const sizes = { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  return diskFinding({ folder, ...sizes, isWritable, hasDatabase });
}

/** The folder, or the folder in which the service will create it. */
async function firstExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : firstExisting(dirname(path));
}
