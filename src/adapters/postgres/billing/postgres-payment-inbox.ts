import type { Knex } from 'knex';
import {
  accountToLink,
  type EventOutcome,
  isSettled,
  namedAccount,
  outcomeOf,
} from '../../../application/billing/event-outcome.js';
import {
  type ApplyEvent,
  type EventState,
  type ListedEvent,
  type ListedOnly,
  NAMING_READ_MAX,
  type PaymentInbox,
  type Receipt,
  type ReceivedEvent,
  type StoredEvent,
} from '../../../application/ports/billing/payment-inbox.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import type { PaymentEvent, PaymentFact } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import { type AccountBody, accountOf } from '../accounts/account-body.js';
import { isTaken, writeChange } from '../accounts/account-writing.js';
import { withErrorMapping } from '../unavailable-database.js';

type Listed = {
  readonly id: string;
  readonly type: string;
  readonly at: Moment;
  readonly received_at: Moment;
  readonly customer: string | null;
  readonly links_to: AccountId | null;
  readonly fact: PaymentFact | null;
  readonly fault: string | null;
  readonly state: EventState;
  readonly account_id: AccountId | null;
};
type Row = Listed & { readonly payload: Buffer };

const LISTED = [
  'id',
  'type',
  'at',
  'received_at',
  'customer',
  'links_to',
  'fact',
  'fault',
  'state',
  'account_id',
];

/**
 * This statement and the two below are those of every webhook. They are written out, because the query builder takes as long as
 * the rest of a statement in this process.
 */
const STORE = `
insert into payment_event
  (id, type, at, customer, links_to, fact, fault, state, account_id, payload, settled_at, received_at)
values
  (:id, :type, :at, :customer, :links_to, :fact, :fault, :state, :account_id, :payload, :settled_at, :received_at)
on conflict (id) do nothing
returning id`;

/** A JSON text of its own has quotes around it. */
const NAMING = `
select ${LISTED.join(', ')} from (
  (select * from payment_event where state = 'failed' order by received_at desc limit ${NAMING_READ_MAX})
  union all
  (select * from payment_event where state = 'waiting' order by received_at desc limit ${NAMING_READ_MAX})
) as unapplied
where customer = :id or position(convert_to(:text, 'UTF8') in payload) > 0
order by received_at desc limit :count`;

const LOCK_OF_CUSTOMER = 'select body from account where processor_customer_id = ? for update';
const LOCK_BY_ID = 'select body from account where id = ? for update';

/**
 * Payment events in Postgres. One transaction locks the account, stores the event and applies it. A second delivery
 * finds the row of the event, or waits until it is committed.
 */
export class PostgresPaymentInbox implements PaymentInbox {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async receive(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt> {
    return this.#apply(event, apply, async (tx, outcome) => {
      const columns = { ...columnsOf(event, outcome, now), received_at: now };
      const { rows }: { readonly rows: readonly unknown[] } = await tx.raw(STORE, columns);
      return rows.length > 0;
    });
  }

  async replay(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt | null> {
    if ((await this.find(event.id)) === null) return null;
    return this.#apply(event, apply, async (tx, outcome) => {
      const { id, ...columns } = columnsOf(event, outcome, now);
      await tx('payment_event').where({ id }).update(columns);
      return true;
    });
  }

  async linked(customer: string | null, count: number): Promise<readonly StoredEvent[]> {
    const rows = await withErrorMapping<readonly Row[]>(() =>
      this.#db('payment_event')
        .join('account', 'account.processor_customer_id', 'payment_event.customer')
        .where('payment_event.state', 'waiting')
        .modify((query) => void (customer === null || query.where({ customer })))
        .orderBy(['payment_event.at', 'payment_event.id'])
        .limit(count)
        .select('payment_event.*'),
    );
    return rows.map(eventOf);
  }

  async find(id: string): Promise<StoredEvent | null> {
    const row = await withErrorMapping<Row | undefined>(() =>
      this.#db('payment_event').where({ id }).first(),
    );
    return row === undefined ? null : eventOf(row);
  }

  async naming(id: string, count: number): Promise<readonly ListedEvent[]> {
    const bindings = { id, text: JSON.stringify(id), count };
    const { rows } = await withErrorMapping(async () =>
      this.#db.raw<{ readonly rows: readonly Listed[] }>(NAMING, bindings),
    );
    return rows.map(listedOf);
  }

  async list(only: ListedOnly, count: number): Promise<readonly ListedEvent[]> {
    const { state, account, hasReason } = only;
    const rows = await withErrorMapping<readonly Listed[]>(() =>
      this.#db('payment_event')
        .where({ ...(state && { state }), ...(account && { account_id: account }) })
        .modify((query) => void (hasReason && query.whereNotNull('fault')))
        .orderBy('received_at', 'desc')
        .limit(count)
        .select(LISTED),
    );
    return rows.map(listedOf);
  }

  /** `store` returns whether it wrote the event; an event that is already stored changes nothing. */
  async #apply(
    event: ReceivedEvent,
    apply: ApplyEvent,
    store: (tx: Knex, outcome: EventOutcome) => Promise<boolean>,
  ): Promise<Receipt> {
    const once = () =>
      this.#db.transaction(async (tx): Promise<Receipt> => {
        const account = await lockedAccount(tx, event);
        const outcome = outcomeOf(event, account, apply);
        if (!(await store(tx, outcome))) return { state: 'known', account: null };
        const { change, state } = outcome;
        if (account !== null && change !== null) await writeChange(tx, account, change);
        return { state, account: change?.next ?? null };
      });
    return withErrorMapping(() =>
      once().catch((fault: unknown) => {
        // Another account was linked to this customer after our lookup. The second attempt finds it.
        if (isTaken(fault)) return once();
        throw fault;
      }),
    );
  }
}

/** The waiting and failed events of the customer of an account that have a fact. */
export async function unappliedEvents(
  tx: Knex.Transaction,
  { processorCustomerId: customer }: Account,
): Promise<readonly PaymentEvent[]> {
  if (customer === null) return [];
  return tx('payment_event')
    .where({ customer })
    .whereIn('state', ['waiting', 'failed'])
    .whereNotNull('fact')
    .select('id', 'at', 'fact');
}

/** The account of the customer, or else the account that the checkout names. */
async function lockedAccount(tx: Knex.Transaction, event: ReceivedEvent): Promise<Account | null> {
  const named = namedAccount(event);
  const { customer } = event;
  const ofCustomer = customer === null ? null : await locked(tx, LOCK_OF_CUSTOMER, customer);
  return ofCustomer ?? (named === null ? null : await locked(tx, LOCK_BY_ID, named));
}

async function locked(tx: Knex.Transaction, statement: string, of: string): Promise<Account | null> {
  const { rows }: { readonly rows: readonly { readonly body: AccountBody }[] } = await tx.raw(statement, [
    of,
  ]);
  const [row] = rows;
  return row === undefined ? null : accountOf(row.body);
}

const columnsOf = (event: ReceivedEvent, outcome: EventOutcome, now: Moment) => ({
  id: event.id,
  type: event.type,
  at: event.at,
  customer: event.customer,
  links_to: accountToLink(event),
  fact: event.fact === null ? null : JSON.stringify(event.fact),
  fault: outcome.fault,
  state: outcome.state,
  account_id: outcome.account,
  payload: outcome.payload,
  settled_at: isSettled(outcome.state) ? now : null,
});

const eventOf = (row: Row): StoredEvent => ({ ...listedOf(row), payload: row.payload });

const listedOf = (row: Listed): ListedEvent => ({
  id: row.id,
  type: row.type,
  at: row.at,
  receivedAt: row.received_at,
  customer: row.customer,
  linksTo: row.links_to,
  fact: row.fact,
  fault: row.fault,
  state: row.state,
  account: row.account_id,
});
