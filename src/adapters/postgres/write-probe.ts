import type { Knex } from 'knex';
import { Unwritable } from '../../application/unavailable.js';
import { renewSessions } from './connection.js';
import type { Instances } from './instances.js';
import { missingGrants } from './needed-grants.js';
import { codeOf, DISK_FULL, READ_ONLY, withErrorMapping } from './unavailable-database.js';

/** Missing grants that are named; more are counted. */
const NAMED_MAX = 3;

/**
 * Asks whether Postgres takes every write of the service: by the heartbeat, which is one, and by the grants that the
 * other writes need. Throws `Unwritable` where it does not.
 */
export const writeProbe =
  (db: Knex, instances: Instances) =>
  /** `refusal` is the write that was refused last; null while writes go through. */
  async (refusal: Unwritable | null): Promise<void> => {
    try {
      await instances.beat();
    } catch (fault) {
      if (!isReadOnly(fault)) throw fault;
      // The session may be read-only, and the server no more.
      renewSessions(db);
      await instances.beat();
    }
    const missing = await withErrorMapping(() => missingGrants(db));
    if (missing.length > 0) throw new Unwritable('Postgres', `permissions are missing: ${named(missing)}`);
    if (refusal !== null && codeOf(refusal.cause) === DISK_FULL) await takeSpace(db);
    // Sessions that were opened up to now can be read-only still.
    if (isReadOnly(refusal)) renewSessions(db);
  };

const isReadOnly = (fault: unknown): boolean =>
  fault instanceof Unwritable && codeOf(fault.cause) === READ_ONLY;

function named(missing: readonly string[]): string {
  const more = missing.length - NAMED_MAX;
  return `${missing.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Takes about a megabyte of the disk for a moment, by a sort that does not fit into its memory. A heartbeat rewrites a
 * row in place, which goes well on a disk that is too full for an item.
 */
const takeSpace = (db: Knex): Promise<void> =>
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
