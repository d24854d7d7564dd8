import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
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
  'payment_event',
  'notice',
  'turn',
  'ticket',
  'session',
  'identity',
  'term',
  'item',
  'item_facet',
  'item_sub_market',
  'item_terms',
  'item_version',
  'item_version_sub_market',
  'feed_change',
  'purge',
  'instance',
  'usage',
];

/** The schemas of this run; on a server from `DATABASE_URL` they are dropped at the end. */
const created: string[] = [];

export async function dropSchemas(): Promise<void> {
  const db = connect(serverUrl(), LONG_TIMEOUTS, 1);
  for (const name of created) await db.raw('drop schema ?? cascade', [name]);
  await disconnect(db);
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
  const db = connect(serverUrl(), LONG_TIMEOUTS, 1);
  created.push(name);
  await db.raw('create schema ??', [name]);
  await disconnect(db);
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
      await empty(open(1));
      await Promise.all(pools.map((pool) => disconnect(pool)));
      idle.push(url);
    },
  };
}

async function empty(db: Knex): Promise<void> {
  await db.raw(
    `truncate ${TABLES.join(', ')} restart identity cascade;
     update feed_head set head = null, last_n = 0, past_n = 0;
     insert into feed_change (n, item_id, kind) values (0, '', 'start');
     insert into account_change (n, hashes) values (0, '{}');
     update test_clock set offset_micros = 0`,
  );
}
