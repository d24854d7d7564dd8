import type { Knex } from 'knex';
import { Unwritable } from '../../application/unavailable.js';
import type { Instances } from './instances.js';
import { missingGrants } from './needed-grants.js';
import { codeOf, DISK_FULL, READ_ONLY, withErrorMapping } from './unavailable-database.js';

/** The error names at most this many missing grants and counts the others. */
const NAMED_MAX = 3;

/**
 * Checks whether Postgres accepts all writes of the service. It writes a heartbeat, and checks the grants that the
 * other writes need. Throws `Unwritable` if a write would be refused (D110). `renewSessions` replaces the sessions of all pools:
 * each of them can write.
 */
export const writeProbe =
  (db: Knex, instances: Instances, renewSessions: () => void) =>
  /** `refusal` is the error of the last refused write; null while writes succeed. */
  async (refusal: Unwritable | null): Promise<void> => {
    try {
      await instances.beat();
    } catch (fault) {
      if (!isReadOnly(fault)) throw fault;
      // The session may still be read-only although the server no longer is.
      renewSessions();
      await instances.beat();
    }
    const missing = await withErrorMapping(() => missingGrants(db));
    if (missing.length > 0) throw new Unwritable('Postgres', `permissions are missing: ${firstOf(missing)}`);
    if (refusal !== null && codeOf(refusal.cause) === DISK_FULL) await probeDiskSpace(db);
    // Sessions opened before this moment may still be read-only.
    if (isReadOnly(refusal)) renewSessions();
  };

const isReadOnly = (fault: unknown): boolean =>
  fault instanceof Unwritable && codeOf(fault.cause) === READ_ONLY;

function firstOf(missing: readonly string[]): string {
  const more = missing.length - NAMED_MAX;
  return `${missing.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Uses about 1 MB of disk for a short time, with a sort that exceeds its memory. The heartbeat alone is not enough: it
 * updates an existing row, which succeeds also on a disk that is too full for a new item.
 */
const probeDiskSpace = (db: Knex): Promise<void> =>
  withErrorMapping(() =>
    db.transaction(async (tx) => {
      await tx.raw("set local work_mem = '64kB'");
      await tx.raw(
        `select count(*) from (
           select repeat(md5(n::text), 32) as text from generate_series(1, 1000) as n order by text offset 0
         ) as sorted`,
      );
    }),
  );
