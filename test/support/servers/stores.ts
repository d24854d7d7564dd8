import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_PATIENCE } from '../../../src/adapters/postgres/connection.js';
import { migrate } from '../../../src/adapters/postgres/migrate.js';

/** The addresses of the run's own servers, or of those that were given; set before the first test. */
const given = (name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL'): string => {
  const url = process.env[name];
  if (url === undefined)
    throw new Error(`${name} is not set: the servers of the tests have not been started`);
  return url;
};
export const serverUrl = (): string => given('TEST_DATABASE_URL');
export const redisUrl = (): string => given('TEST_REDIS_URL');

/** A schema of its own in the tests' database. */
export type Schema = {
  readonly url: string;
  /** A pool of its own, as another instance of the service would have. */
  readonly connect: (poolMax?: number) => Knex;
  readonly close: () => Promise<void>;
};

const TABLES = [
  'account',
  'api_key',
  'audit',
  'payment_event',
  'notice',
  'turn',
  'ticket',
  'session',
  'identity',
  'item',
  'item_sub_market',
  'feed_change',
  'instance',
  'usage',
];

/** Those of this run; on a server that was given they are dropped at its end. */
const made: string[] = [];

export async function dropSchemas(): Promise<void> {
  const db = connect(serverUrl(), LONG_PATIENCE, 1);
  for (const name of made) await db.raw('drop schema ?? cascade', [name]);
  await disconnect(db);
}

/** Schemas that are not in use: to empty one is faster than to make one. */
const idle: string[] = [];

/** A schema with every table, empty. */
export async function freshSchema(): Promise<Schema> {
  const known = idle.pop();
  if (known !== undefined) return openSchema(known);
  const url = await emptySchema();
  await migrate(url);
  return openSchema(url);
}

/** The address of a schema without any table. */
export async function emptySchema(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const db = connect(serverUrl(), LONG_PATIENCE, 1);
  made.push(name);
  await db.raw('create schema ??', [name]);
  await disconnect(db);
  const url = new URL(serverUrl());
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

function openSchema(url: string): Schema {
  const pools: Knex[] = [];
  const open = (poolMax = 10) => {
    const pool = connect(url, LONG_PATIENCE, poolMax);
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
     update test_clock set offset_micros = 0`,
  );
}
