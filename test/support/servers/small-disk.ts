import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory that a test can fill to the last byte. */
export type SmallDisk = {
  readonly folder: string;
  readonly fill: () => void;
  /** Deletes what `fill` wrote. */
  readonly free: () => void;
  readonly unmount: () => void;
};

/** Mounts a tmpfs of this size. Null if the process may not mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true });
    return null;
  }
  chmodSync(folder, 0o755);
  const ballast = join(folder, 'ballast');
  const unmount = () => {
    spawnSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
    process.off('exit', unmount);
  };
  process.once('exit', unmount);
  return {
    folder,
    unmount,
    fill: () => {
      const file = openSync(ballast, 'a');
      for (const bytes of [1_048_576, 4_096]) writeUntilFull(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    free: () => rmSync(ballast),
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  for (;;) {
    try {
      writeSync(file, bytes);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw fault;
    }
  }
}
