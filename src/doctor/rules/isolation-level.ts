import { type Finding, failed, ok } from '../../adapters/findings/check.js';

/** The isolation levels of a session of the service, and of one that sets none. */
export type IsolationLevels = { readonly ofService: string; readonly ofDatabase: string };

/** At this level, locks decide every conflict of two changes; a stricter one would refuse one of them. */
const LEVEL = 'read committed';

/** Judges the level of the sessions of the service, which set it themselves. */
export function isolationFinding({ ofService, ofDatabase }: IsolationLevels): Finding {
  if (ofService !== LEVEL)
    return failed(
      `transactions of the service are ${ofService}: something between it and Postgres drops the options of its sessions`,
      'Connect DATABASE_URL to Postgres itself, or through a pooler that passes on the startup parameter “options”.',
    );
  return ok(
    ofDatabase === LEVEL
      ? `transactions are ${LEVEL}`
      : `transactions are ${LEVEL}; the default of the database, ${ofDatabase}, applies to other programs only`,
  );
}
