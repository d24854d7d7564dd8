import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import {
  connect,
  disconnect,
  LONG_TIMEOUTS,
  type Timeouts,
} from '../../../src/adapters/postgres/connection.js';
import { migrate } from '../../../src/adapters/postgres/migrate.js';

/** The URLs of the servers of the run; `hooks.ts` sets them before the first test. */
const given = (name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL'): string => {
  const url = process.env[name];
  if (url === undefined)
    throw new Error(`${name} is not set: the servers of the tests have not been started`);
  return url;
};
export const serverUrl = (): string => given('TEST_DATABASE_URL');
export const redisUrl = (): string => given('TEST_REDIS_URL');

/** A separate schema in the database of the tests. */
export type Schema = {
  readonly url: string;
  /** Opens a separate pool, as another instance of the service would. */
  readonly connect: (poolMax?: number) => Knex;
  readonly close: () => Promise<void>;
};

const TABLES = [
  'account',
  'account_change',
  'api_key',
  'audit',
  'destination',
  'destination_delivery',
  'payment_event',
  'notice',
  'turn',
  'ticket',
  'session',
  'identity',
  'term',
  'item',
  'item_audit',
  'item_facet',
  'item_sub_market',
  'item_terms',
  'item_version',
  'item_version_sub_market',
  'feed_change',
  'purge',
  'held_lease',
  'market',
  'market_generation',
  'market_item',
  'market_key',
  'market_title',
  'instance',
  'request_log',
  'sandbox_key',
  'usage',
];

/** The schemas of this run; on a server from `DATABASE_URL` they are dropped at the end. */
const created: string[] = [];

export async function dropSchemas(): Promise<void> {
  for (const name of created) await maintain('drop schema ?? cascade', [name]);
}

let maintaining: Knex | undefined;

/** So a schema that a test left locked fails one test, and not all that wait for the connection. */
const MAINTENANCE_TIMEOUTS: Timeouts = { ...LONG_TIMEOUTS, lockMs: 10_000, connectMs: 30_000 };

const OPEN_TRANSACTIONS = `
select pid, state, wait_event, now() - xact_start as since, left(query, 300) as query
from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()`;

/** One connection creates and empties all schemas: each new one takes 6 ms of CPU. A failure lists the open transactions. */
async function maintain(sql: string, bindings: readonly string[] = []): Promise<void> {
  maintaining ??= connect(serverUrl(), MAINTENANCE_TIMEOUTS, 1);
  try {
    await maintaining.raw(sql, bindings);
  } catch (fault) {
    const { rows } = await maintaining.raw(OPEN_TRANSACTIONS).catch(() => ({ rows: 'unknown transactions' }));
    throw new Error(`${sql.slice(0, 100)} failed beside ${JSON.stringify(rows)}`, { cause: fault });
  }
}

/** Runs before the servers stop. */
export async function endMaintenance(): Promise<void> {
  if (maintaining !== undefined) await disconnect(maintaining);
  maintaining = undefined;
}

/** Unused schemas for reuse: emptying a schema is faster than creating one. */
const idle: string[] = [];

/** A schema with all tables, empty. */
export async function freshSchema(): Promise<Schema> {
  const idleUrl = idle.pop();
  if (idleUrl !== undefined) return openSchema(idleUrl);
  const url = await emptySchema();
  await migrate(url);
  return openSchema(url);
}

/** Creates a schema without tables and returns its URL. */
export async function emptySchema(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  created.push(name);
  await maintain('create schema ??', [name]);
  const url = new URL(serverUrl());
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

function openSchema(url: string): Schema {
  const pools: Knex[] = [];
  const open = (poolMax = 10) => {
    const pool = connect(url, LONG_TIMEOUTS, poolMax);
    pools.push(pool);
    return pool;
  };
  return {
    url,
    connect: open,
    close: async () => {
      await empty(url);
      await Promise.all(pools.map((pool) => disconnect(pool)));
      idle.push(url);
    },
  };
}

/**
 * Truncating all tables takes 15 ms of CPU. A table without pages, statistics and used numbers is as new, so it is left out; most
 * tests write to few tables.
 */
async function empty(url: string): Promise<void> {
  const name = new URL(url).searchParams.get('options')?.replace('-c search_path=', '') ?? '';
  await maintain(
    `set search_path = ${name};
     do $$ declare used text; begin
       select string_agg(quote_ident(relname), ', ') into used from pg_class
         where relnamespace = current_schema::regnamespace and relname in ('${TABLES.join("', '")}')
           and (pg_relation_size(oid) > 0 or reltuples <> -1 or exists (
             select from pg_depend join pg_sequence on seqrelid = objid
               where refclassid = 'pg_class'::regclass and refobjid = pg_class.oid
               and pg_sequence_last_value(seqrelid) is not null));
       execute coalesce('truncate ' || used || ' restart identity cascade', 'select');
     end $$;
     update feed_head set head = null, last_n = 0, past_n = 0;
     insert into feed_change (n, item_id, kind) values (0, '', 'start');
     insert into account_change (n, hashes) values (0, '{}');
     update destination_counter set version = 0, generation = 0, reset_at = null;
     update test_clock set offset_micros = 0`,
  );
}
