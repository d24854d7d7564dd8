import type { Knex } from 'knex';

type Privilege = 'select' | 'insert' | 'update' | 'delete';

const CHANGES: readonly Privilege[] = ['select', 'insert', 'update'];
const REPLACES: readonly Privilege[] = ['select', 'insert', 'delete'];
const ALL: readonly Privilege[] = ['select', 'insert', 'update', 'delete'];

/** The grants that the role needs if it does not own the tables. `select … for update` needs the grant `update`. */
export const NEEDED_GRANTS: Readonly<Record<string, readonly Privilege[]>> = {
  account: CHANGES,
  account_change: ['select', 'delete'],
  api_key: CHANGES,
  audit: CHANGES,
  destination: ALL,
  destination_counter: ['select', 'update'],
  destination_delivery: ALL,
  feed_change: ['select', 'insert'],
  feed_head: ['select', 'update'],
  held_lease: ALL,
  identity: REPLACES,
  instance: ALL,
  item: ALL,
  item_audit: ['select', 'insert'],
  item_facet: ['select', 'insert'],
  item_sub_market: REPLACES,
  item_terms: CHANGES,
  item_version: ['select', 'update'],
  item_version_sub_market: ['select'],
  market: ALL,
  market_generation: ALL,
  market_item: REPLACES,
  market_key: REPLACES,
  market_title: REPLACES,
  notice: ALL,
  payment_event: ALL,
  purge: ['select', 'insert'],
  // `for update skip locked` needs the grant `update`.
  request_log: ALL,
  sandbox_key: ALL,
  session: ALL,
  term: ['select', 'insert', 'delete'],
  test_clock: ['select', 'update'],
  ticket: ALL,
  turn: CHANGES,
  usage: ALL,
};

const NEEDED = Object.entries(NEEDED_GRANTS).flatMap(([table, privileges]) =>
  privileges.map((privilege) => ({ table, privilege })),
);

/** The grants that the role of this connection lacks, each as text: `insert on item`. */
export async function missingGrants(db: Knex): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: readonly { readonly missing: string }[] }>(
    `select needed.privilege || ' on ' || needed.name as missing
     from unnest(?::text[], ?::text[]) as needed (name, privilege)
     where not has_table_privilege(to_regclass(needed.name), needed.privilege)`,
    [NEEDED.map(({ table }) => table), NEEDED.map(({ privilege }) => privilege)],
  );
  return rows.map(({ missing }) => missing);
}
