import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveTo, serverUser } from '../../../src/adapters/postgres-server/server-user.js';
import { supervise } from '../../../src/adapters/postgres-server/supervised-process.js';
import { programForUser } from '../packages/distribution-program.js';
import { isOpen } from '../servers/open-port.js';
import { reservedPort } from '../servers/reserved-port.js';
import { until } from '../until.js';

export type Pooler = { readonly url: string; readonly stop: () => Promise<void> };

const PGBOUNCER = { name: 'pgbouncer', inPackage: 'pgbouncer', path: 'usr/sbin/pgbouncer' };

/** The settings of a session that the service sends when it connects. */
const STARTUP_PARAMETERS = 'options,statement_timeout,idle_in_transaction_session_timeout';

/**
 * Starts PgBouncer in transaction mode before a Postgres. By default it refuses settings of a session, but it can be
 * configured to ignore them. Undefined if the machine has no PgBouncer and cannot download one.
 */
export async function startPooler(
  databaseUrl: string,
  { ignoresSettings }: { readonly ignoresSettings: boolean },
): Promise<Pooler | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-pooler-'));
  chmodSync(folder, 0o755);
  const program = programForUser(PGBOUNCER, folder);
  if (program === undefined) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const user = serverUser();
  const port = await reservedPort();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
${ignoresSettings ? `ignore_startup_parameters = ${STARTUP_PARAMETERS}` : ''}
`,
  );
  for (const path of [folder, file]) giveTo(path, user);
  const { file: binary, environment } = program;
  const log = join(folder, 'server.log');
  const server = await supervise([binary, file], { folder, log, signal: 'INT', user, environment });
  const url = `postgres://news:password@127.0.0.1:${port}/postgres`;
  await until(true, async () => {
    if (!server.isRunning()) throw new Error(`PgBouncer did not start: ${server.log()}`);
    return isOpen(url);
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
}
