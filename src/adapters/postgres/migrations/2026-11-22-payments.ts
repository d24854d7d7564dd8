import type { Knex } from 'knex';

export const oldestVersion = '0.1.0';

export async function up(db: Knex): Promise<void> {
  await db.schema.alterTable('account', (table) => {
    table.timestamp('claimed_until', { useTz: true }).comment('who works on what is due has it until then');
  });
  await completeAccounts(db);
  await db.schema.createTable('payment_event', (table) => {
    table.text('id').primary();
    table.text('type').notNullable();
    table.timestamp('at', { useTz: true, precision: 6 }).notNullable().comment('when the processor made it');
    table.timestamp('received_at', { useTz: true, precision: 6 }).notNullable();
    table.text('customer');
    table.text('links_to').comment('the account that it says the customer is');
    table.specificType('fact', 'json');
    table.text('fault');
    table.text('state').notNullable();
    table.text('account_id').comment('the account that it was applied to');
    table.binary('payload').notNullable();
  });
  await db.schema.raw(
    "create index payment_event_waiting on payment_event (customer) where state = 'waiting'",
  );
  await db.schema.raw(
    "create index payment_event_failed on payment_event (received_at) where state = 'failed'",
  );
  await db.schema.raw('create index payment_event_of_account on payment_event (account_id, received_at)');
  await db.schema.raw('create index payment_event_received on payment_event (received_at)');
  await db.schema.createTable('notice', (table) => {
    table.specificType('id', 'bigint generated always as identity').primary();
    table.text('account_id').notNullable().references('account.id');
    table.text('occasion').notNullable();
    table.specificType('notice', 'json').notNullable();
    table.text('state').notNullable().defaultTo('waiting');
    table.integer('attempts').notNullable().defaultTo(0);
    table.timestamp('due_at', { useTz: true, precision: 6 }).notNullable();
    table.unique(['account_id', 'occasion']);
  });
  await db.schema.raw("create index notice_due on notice (due_at) where state = 'waiting'");
  await db.schema.createTable('turn', (table) => {
    table.text('work').primary();
    table.timestamp('mark', { useTz: true, precision: 6 });
    table.timestamp('due_at', { useTz: true, precision: 6 });
    table.timestamp('taken_until', { useTz: true });
  });
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['turn', 'notice', 'payment_event']) await db.schema.dropTable(table);
  await db.raw(
    `update account set body =
       ((body::jsonb - '{openedPlan,payments,dunning,pending}'::text[]) #- '{subscription,watch}')::json`,
  );
  await db.schema.alterTable('account', (table) => table.dropColumn('claimed_until'));
}

/** Existing accounts get empty payment facts and start to be monitored at their opening. */
async function completeAccounts(db: Knex): Promise<void> {
  await db.raw(
    `update account set body = (
       jsonb_set(body::jsonb, '{subscription,watch}', jsonb_build_object('isOn', true, 'since', body -> 'openedAt'))
       || jsonb_build_object(
         'openedPlan', body -> 'subscription' -> 'plan',
         'payments', jsonb_build_object('subscriptions', '{}'::jsonb, 'invoices', '{}'::jsonb),
         'dunning', '[]'::jsonb,
         'pending', '[]'::jsonb
       ))::json`,
  );
}
