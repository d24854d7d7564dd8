import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';

/** The disk of a folder that the service writes to. */
export type DiskFacts = {
  readonly folder: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly isWritable: boolean;
  /** Whether an embedded Postgres keeps its data there. Otherwise the service writes one small file. */
  readonly hasDatabase: boolean;
};

const MIB = 1_024 * 1_024;
const GIB = 1_024 * MIB;

/** Postgres stops when it cannot write its log, of which one file has 16 MiB. */
const LIMITS = {
  database: { failureBelow: 256 * MIB, warningBelow: 2 * GIB },
  file: { failureBelow: MIB, warningBelow: 64 * MIB },
} as const;

export function diskFinding({ folder, freeBytes, totalBytes, isWritable, hasDatabase }: DiskFacts): Finding {
  if (!isWritable) {
    return failed(
      `the service may not write to ${folder}`,
      'Give the folder to the user that runs the service, or set STATE_DIR and DATABASE_URL to another folder.',
    );
  }
  const { failureBelow, warningBelow } = LIMITS[hasDatabase ? 'database' : 'file'];
  const detail = `${size(freeBytes)} of ${size(totalBytes)} are free in ${folder}`;
  const advice = 'Free space on this disk, or use a larger one.';
  if (freeBytes < failureBelow) return failed(detail, advice);
  return freeBytes < warningBelow ? warning(detail, advice) : ok(detail);
}

const size = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.round(bytes / MIB)} MiB`;
