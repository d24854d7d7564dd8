import {
  accountToLink,
  isSettled,
  namedAccount,
  outcomeOf,
} from '../../../application/billing/event-outcome.js';
import type {
  ApplyEvent,
  EventState,
  ListedEvent,
  ListedOnly,
  PaymentInbox,
  Receipt,
  ReceivedEvent,
  StoredEvent,
} from '../../../application/ports/billing/payment-inbox.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { PaymentEvent } from '../../../domain/billing/payment-event.js';
import type { Moment } from '../../../domain/moment.js';
import { isRefusal } from '../../../domain/refusal.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';
import { oldest } from '../oldest.js';

/** Payment events of one process. It needs no lock, because nothing is awaited between read and write. */
export class MemoryPaymentInbox implements PaymentInbox {
  readonly #accounts: MemoryAccounts;
  readonly #events = new Map<string, StoredEvent>();
  /** When events were applied or ignored. */
  readonly #settledAt = new Map<string, Moment>();

  constructor(accounts: MemoryAccounts) {
    this.#accounts = accounts;
  }

  async receive(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt> {
    if (this.#events.has(event.id)) return { state: 'known', account: null };
    return this.#apply(event, now, now, apply);
  }

  async replay(event: ReceivedEvent, now: Moment, apply: ApplyEvent): Promise<Receipt | null> {
    const stored = this.#events.get(event.id);
    return stored === undefined ? null : this.#apply(event, stored.receivedAt, now, apply);
  }

  async linked(customer: string | null, count: number): Promise<readonly StoredEvent[]> {
    return [...this.#events.values()]
      .filter((event) => event.state === 'waiting' && (customer === null || event.customer === customer))
      .filter((event) => event.customer !== null && this.#accounts.ofCustomer(event.customer) !== null)
      .sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1))
      .slice(0, count);
  }

  async find(id: string): Promise<StoredEvent | null> {
    return this.#events.get(id) ?? null;
  }

  async naming(id: string, count: number): Promise<readonly ListedEvent[]> {
    const text = JSON.stringify(id);
    const unapplied = [...this.#events.values()].filter(({ state }) => !isSettled(state)).toReversed();
    return unapplied
      .filter(({ customer, payload }) => customer === id || payload.includes(text))
      .slice(0, count)
      .map(({ payload, ...listed }) => listed);
  }

  async list(only: ListedOnly, count: number): Promise<readonly ListedEvent[]> {
    return [...this.#events.values()]
      .filter(({ state }) => only.state === undefined || state === only.state)
      .filter(({ account }) => only.account === undefined || account === only.account)
      .filter(({ fault }) => only.hasReason === undefined || fault !== null)
      .toReversed()
      .slice(0, count)
      .map(({ payload, ...listed }) => listed);
  }

  /** The waiting and failed events of the customer of an account that have a fact. */
  unappliedOf({ processorCustomerId: customer }: Account): readonly PaymentEvent[] {
    return [...this.#events.values()].flatMap(({ id, at, fact, state, customer: of }) =>
      fact !== null && of !== null && of === customer && !isSettled(state) ? [{ id, at, fact }] : [],
    );
  }

  /** Deletes the payloads of all events of an account and of its customer, and of events that only name the account. */
  deletePayloads({ id, processorCustomerId: customer }: Account, now: Moment): void {
    const names = ({ linksTo, fault, payload, ...event }: StoredEvent): boolean =>
      (customer !== null && (event.customer === customer || payload.includes(customer))) ||
      linksTo === id ||
      (fault?.includes(id) ?? false);
    for (const event of this.#events.values()) {
      if (event.account !== id && (event.account !== null || !names(event))) continue;
      const state = isSettled(event.state) ? event.state : 'ignored';
      const settledAt = this.#settledAt.get(event.id) ?? now;
      this.#store({ ...event, state, fault: null, payload: Buffer.alloc(0) }, settledAt);
    }
  }

  /** Deletes events that were applied or ignored until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const ids = oldest(this.#settledAt, until, count);
    for (const id of ids) {
      this.#settledAt.delete(id);
      this.#events.delete(id);
    }
    return ids.length;
  }

  #apply(event: ReceivedEvent, receivedAt: Moment, now: Moment, apply: ApplyEvent): Receipt {
    const account = this.#accountOf(event);
    const { state, fault, change, account: storedAccount, payload } = outcomeOf(event, account, apply);
    const { link, ...received } = event;
    const store = (storedState: EventState, storedFault: string | null) =>
      this.#store(
        {
          ...received,
          linksTo: accountToLink(event),
          fault: storedFault,
          state: storedState,
          receivedAt,
          account: storedAccount,
          payload,
        },
        now,
      );
    const changed =
      account === null || change === null ? null : this.#accounts.changeNow(account.id, () => change);
    if (changed !== null && isRefusal(changed)) {
      store('failed', `refused: ${changed.refused}`);
      return { state: 'failed', account: null };
    }
    store(state, fault);
    return { state, account: changed };
  }

  #store(event: StoredEvent, now: Moment): void {
    this.#events.set(event.id, event);
    if (isSettled(event.state)) this.#settledAt.set(event.id, now);
    else this.#settledAt.delete(event.id);
  }

  #accountOf(event: ReceivedEvent): Account | null {
    const ofCustomer = event.customer === null ? null : this.#accounts.ofCustomer(event.customer);
    const named = namedAccount(event);
    return ofCustomer ?? (named === null ? null : this.#accounts.ofId(named));
  }
}
