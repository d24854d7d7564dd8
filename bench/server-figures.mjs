import pg from 'pg';
import { createClient } from 'redis';
import { atEnd, BenchFailure } from './run-bench.mjs';

/** The setting with which Postgres counts the calls of each statement. It costs a few microseconds a statement. */
export const COUNTED_STATEMENTS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '5000',
};

/** Counts the statements of all clients of one database: `reset` begins a measurement, `read` returns its figures. */
export async function statementCounter(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  atEnd(() => client.end());
  await client.query('create extension if not exists pg_stat_statements');
  return {
    reset: () => client.query('select pg_stat_statements_reset()'),
    read: async () => {
      const { rows } = await client.query(
        `select query, calls::float8 as calls, rows::float8 as rows, total_exec_time as millis
         from pg_stat_statements join pg_database on pg_database.oid = dbid and datname = current_database()
         where query !~ 'pg_stat_statements' order by calls desc`,
      );
      return rows;
    },
  };
}

/** Counts the commands of all clients of a Redis. Commands inside scripts are included. */
export async function commandCounter(redisUrl) {
  const client = createClient({ url: redisUrl });
  client.on('error', () => {}); // Each command throws its own error.
  await client.connect();
  atEnd(() => client.destroy());
  return {
    reset: () => client.sendCommand(['CONFIG', 'RESETSTAT']),
    read: async () => {
      const info = await client.sendCommand(['INFO', 'commandstats']);
      return [...info.matchAll(/^cmdstat_(\S+):calls=(\d+),usec=(\d+)/gm)]
        .map(([, command, calls, micros]) => ({
          command: command.replace('|', ' '),
          calls: Number(calls),
          millis: Number(micros) / 1_000,
        }))
        .filter(({ command }) => !/^(info|config)/.test(command))
        .sort((a, b) => b.calls - a.calls);
    },
  };
}

/** Reports a Postgres without the library in one line. */
export async function withStatementLibrary(start) {
  try {
    return await start();
  } catch (fault) {
    if (!/pg_stat_statements/.test(fault?.message)) throw fault;
    throw new BenchFailure('this Postgres has no pg_stat_statements: install its contrib modules');
  }
}
