import { type Finding, failed } from './check.js';

/** Why a server could not be reached. `code` is an SQLSTATE, a network error code, or the first word of a Redis error. */
export type ConnectionFault = { readonly code: string; readonly message: string };

export const POOLER_ADVICE =
  'A pooler is probably between the service and Postgres. Connect DATABASE_URL to Postgres itself, or through a pooler in session mode that passes on the startup parameters.';

type Row = { readonly is: (fault: ConnectionFault) => boolean; readonly advice: string };

const hasCode =
  (...codes: readonly string[]) =>
  ({ code }: ConnectionFault): boolean =>
    codes.includes(code);

/** The setting of the session that the service sends, and that a pooler in transaction mode refuses. */
export const isRefusedByPooler = ({ message }: ConnectionFault): boolean =>
  /unsupported startup parameter/i.test(message);

/** The first matching row counts. The last row of each server matches every fault. */
const ADVICE: Readonly<Record<'Postgres' | 'Redis', readonly Row[]>> = {
  Postgres: [
    { is: isRefusedByPooler, advice: POOLER_ADVICE },
    {
      is: hasCode('28P01', '28000'),
      advice: 'Correct the user name and the password in the URL, or pg_hba.conf.',
    },
    { is: hasCode('3D000'), advice: 'Create the database, or correct its name in the URL.' },
    { is: hasCode('53300'), advice: 'Raise max_connections, or stop other clients of this server.' },
    {
      is: hasCode('ENOTFOUND', 'EAI_AGAIN'),
      advice: 'Correct the host name in the URL, or the name service.',
    },
    {
      is: hasCode('ECONNREFUSED', 'ENOENT'),
      advice: 'Start Postgres, or correct host and port in the URL.',
    },
    {
      is: () => true,
      advice: 'Check that Postgres answers (psql), the firewall, and host and port in the URL.',
    },
  ],
  Redis: [
    {
      is: hasCode('WRONGPASS', 'NOAUTH', 'NOPERM'),
      advice: 'Correct the user name and the password in REDIS_URL, or the ACL of the user.',
    },
    {
      is: hasCode('ENOTFOUND', 'EAI_AGAIN'),
      advice: 'Correct the host name in REDIS_URL, or the name service.',
    },
    { is: hasCode('ECONNREFUSED'), advice: 'Start Redis, or correct host and port in REDIS_URL.' },
    // The message says what to do.
    { is: hasCode('WRONG_URL'), advice: 'docs/settings.md has the forms of REDIS_URL.' },
    {
      is: () => true,
      advice: 'Check that Redis answers (redis-cli ping), the firewall, and host and port in REDIS_URL.',
    },
  ],
};

export function connectionFinding(
  name: keyof typeof ADVICE,
  server: string,
  fault: ConnectionFault,
): Finding {
  const advice = ADVICE[name].find(({ is }) => is(fault))?.advice ?? '';
  return failed(`cannot use ${server}: ${fault.message || fault.code}`, advice);
}
