import pg from 'pg';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import { NEEDED_GRANTS } from '../../../src/adapters/postgres/needed-grants.js';

/** A fault in which a reachable Postgres refuses writes: an administrator's statements that begin and end it. */
export type WriteFault = {
  readonly begin: readonly string[];
  readonly end: readonly string[];
  readonly endsSessions?: true;
};

/** A role that owns no tables. */
export const ROLE = 'reader_and_writer';
const OTHER_SESSIONS = 'pid <> pg_backend_pid() and datname = current_database()';
const BE_READ_ONLY = 'set default_transaction_read_only = on';

/** Tables that publications, operators and webhooks write. The heartbeat writes another one. */
const SOME_TABLES = 'item, account, payment_event';

export const WRITE_FAULTS: Readonly<Record<string, WriteFault>> = {
  'while every session is read-only': {
    begin: [`alter system ${BE_READ_ONLY}`, 'select pg_reload_conf()'],
    end: ['alter system reset default_transaction_read_only', 'select pg_reload_conf()'],
  },
  'while new sessions are read-only, as after a failover to a standby': {
    begin: [
      `alter database postgres ${BE_READ_ONLY}`,
      `select pg_terminate_backend(pid) from pg_stat_activity where ${OTHER_SESSIONS}`,
    ],
    end: ['alter database postgres reset default_transaction_read_only'],
    endsSessions: true,
  },
  'while its role may write no table': {
    begin: [`revoke insert, update, delete on all tables in schema public from ${ROLE}`],
    end: [`grant insert, update, delete on all tables in schema public to ${ROLE}`],
  },
  'while its role may not write some tables': {
    begin: [`revoke insert, update, delete on ${SOME_TABLES} from ${ROLE}`],
    end: [`grant insert, update, delete on ${SOME_TABLES} to ${ROLE}`],
  },
};

/** Runs statements in sequence, in a session that can write whatever the default is. Returns the rows of the last one. */
export async function administer(url: string, statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
  await client.connect();
  try {
    let rows: readonly unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Migrates a database as its owner. Returns its URL for a role that has only the needed grants. */
export async function ofAnotherRole(url: string): Promise<string> {
  await migrate(url);
  const password = 'of-the-tests';
  const grants = Object.entries(NEEDED_GRANTS).map(
    ([table, privileges]) => `grant ${privileges.join(', ')} on ${table} to ${ROLE}`,
  );
  await administer(url, [
    `create role ${ROLE} login password '${password}'`,
    `grant usage on schema public to ${ROLE}`,
    `grant select on knex_migrations, knex_migrations_lock, schema_compatibility to ${ROLE}`,
    ...grants,
  ]);
  const other = new URL(url);
  other.username = ROLE;
  other.password = password;
  return other.href;
}
