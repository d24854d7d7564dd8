import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

export async function up(db: Knex): Promise<void> {
  await accounts(db);
  await feed(db);
  await instances(db);
}

export async function down(db: Knex): Promise<void> {
  const tables = [
    ...['test_clock', 'instance', 'feed_head', 'feed_change', 'item_sub_market', 'item'],
    ...['audit', 'api_key', 'account'],
  ];
  for (const table of tables) await db.schema.dropTable(table);
}

/** `json`, not `jsonb`: it stores every text unchanged, even U+0000 in a reason. */
async function accounts(db: Knex): Promise<void> {
  await db.schema.createTable('account', (table) => {
    table.text('id').primary();
    table.text('email').notNullable().unique();
    table.text('processor_customer_id').unique();
    table.specificType('body', 'json').notNullable();
    table.timestamp('due_at', { useTz: true, precision: 6 });
  });
  await db.schema.raw('create index account_due on account (due_at) where due_at is not null');
  await db.schema.createTable('api_key', (table) => {
    table.text('id').primary();
    table.text('hash').notNullable().unique();
    table.text('account_id').notNullable().references('account.id').index();
    table.timestamp('last_used_at', { useTz: true, precision: 6 });
  });
  await db.schema.createTable('audit', (table) => {
    table.specificType('n', 'bigint generated always as identity').primary();
    table.text('account_id').notNullable().references('account.id');
    table.specificType('entry', 'json').notNullable();
    table.index(['account_id', 'n']);
  });
}

async function feed(db: Knex): Promise<void> {
  await db.schema.createTable('item', (table) => {
    table.text('id').primary();
    table.timestamp('scored_at', { useTz: true, precision: 6 }).notNullable().unique();
    table.binary('json').notNullable();
    table.specificType('sub_market_ids', 'text[]').notNullable();
  });
  await db.schema.createTable('item_sub_market', (table) => {
    table.text('sub_market_id').notNullable();
    table.timestamp('scored_at', { useTz: true, precision: 6 }).notNullable();
    table.text('item_id').notNullable();
    table.primary(['sub_market_id', 'scored_at']);
  });
  await db.schema.createTable('feed_change', (table) => {
    table.bigInteger('n').primary();
    table.text('item_id').notNullable();
    table.timestamp('scored_at', { useTz: true, precision: 6 }).comment('null: retracted');
  });
  await db.schema.createTable('feed_head', (table) => {
    table.boolean('only').primary().defaultTo(true).checkIn(['true']);
    table.timestamp('head', { useTz: true, precision: 6 });
    table.bigInteger('last_n').notNullable().comment('the number of the last change');
    table.bigInteger('past_n').notNullable().comment('the last change that did more than add above the head');
  });
  await db('feed_head').insert({ only: true, head: null, last_n: 0, past_n: 0 });
}

async function instances(db: Knex): Promise<void> {
  await db.schema.createTable('instance', (table) => {
    table.text('id').primary();
    table.timestamp('seen_at', { useTz: true }).notNullable();
    table.bigInteger('clock_offset').comment('microseconds; null until it has read the test clock');
  });
  await db.schema.createTable('test_clock', (table) => {
    table.boolean('only').primary().defaultTo(true).checkIn(['true']);
    table.bigInteger('offset_micros').notNullable();
  });
  await db('test_clock').insert({ only: true, offset_micros: 0 });
}
