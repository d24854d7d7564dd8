import pg from 'pg';
import type { ServerHistory } from '../../domain/former-primary.js';

/**
 * Any role may read it. The name of the current WAL file begins with the timeline, and shows a promotion at once; the control
 * file shows it only after the next checkpoint.
 */
const HISTORY = `
select system_identifier::text as system,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline
from pg_control_system()`;

/** SQLSTATEs that say nothing about the statement: the server is overloaded, stops or fails. */
const OF_THE_SERVER = /^5[378]/;

/** Null for a database that does not tell it, for example a compatible one without these functions. */
export async function readServerHistory(client: pg.Client): Promise<ServerHistory | null> {
  try {
    const { rows } = await client.query<{ system: string; timeline: string | null }>(HISTORY);
    const [row] = rows;
    if (row === undefined) return null;
    return {
      system: row.system,
      timeline: row.timeline === null ? null : Number.parseInt(row.timeline, 16),
    };
  } catch (fault) {
    if (fault instanceof pg.DatabaseError && !OF_THE_SERVER.test(fault.code ?? '')) return null;
    throw fault;
  }
}
