import type {
  AccountLists,
  BusyDays,
  Consumer,
  Suspect,
  Unpaid,
} from '../../../application/ports/accounts/account-lists.js';
import type { PaymentInbox } from '../../../application/ports/billing/payment-inbox.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import { hasDunningEnded, isBlocked } from '../../../domain/accounts/access.js';
import type { Account, AuditEntry } from '../../../domain/accounts/account.js';
import type { DayCounts } from '../../../domain/accounts/account-days.js';
import { isDeleted } from '../../../domain/accounts/account-deletion.js';
import { nextDue } from '../../../domain/accounts/account-due.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import { causesOf } from '../../../domain/keys/api-key.js';
import type { UsageCount } from '../../../domain/limits/usage.js';
import { type Moment, startOfDay } from '../../../domain/moment.js';
import type { MemoryAccounts } from './memory-accounts.js';

/** Reads all accounts for each list. */
export class MemoryAccountLists implements AccountLists {
  readonly #accounts: MemoryAccounts;
  readonly #inbox: PaymentInbox;
  readonly #usage: UsageHistory;

  constructor(stores: {
    readonly accounts: MemoryAccounts;
    readonly inbox: PaymentInbox;
    readonly usage: UsageHistory;
  }) {
    this.#accounts = stores.accounts;
    this.#inbox = stores.inbox;
    this.#usage = stores.usage;
  }

  async withEmailPart(text: string, count: number): Promise<readonly Account[]> {
    const beginning = text.toLowerCase();
    return this.#existing()
      .filter(({ email }) => email.startsWith(beginning) || domainOf(email).startsWith(beginning))
      .sort((a, b) => (a.email < b.email ? -1 : 1))
      .slice(0, count);
  }

  async withOtherId(id: string, count: number): Promise<readonly Account[]> {
    const events = await this.#inbox.list({}, Number.POSITIVE_INFINITY);
    const named = events
      .filter(
        ({ fact }) =>
          fact?.subscription === id || (fact !== null && 'invoice' in fact && fact.invoice === id),
      )
      .map(({ account }) => account);
    return [...this.#accounts.all()]
      .filter(
        ({ id: own, processorCustomerId, subscription }) =>
          processorCustomerId === id || subscription.id === id || named.includes(own),
      )
      .slice(0, count);
  }

  async newest(count: number): Promise<readonly Account[]> {
    return this.#existing()
      .sort((a, b) => (`${a.openedAt} ${a.id}` > `${b.openedAt} ${b.id}` ? -1 : 1))
      .slice(0, count);
  }

  async refused(count: number): Promise<number> {
    return Math.min(this.#existing().filter(({ subscription }) => isBlocked(subscription)).length, count);
  }

  async suspectedOfAbuse(count: number): Promise<readonly Suspect[]> {
    const suspected = this.#existing()
      .filter(({ subscription }) => causesOf(subscription.suspension).includes('abuse'))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return Promise.all(suspected.slice(0, count).map((account) => this.#dated(account, 'abuse_detected')));
  }

  async dunningEnded(count: number): Promise<readonly Unpaid[]> {
    const unpaid = this.#existing().filter(({ subscription }) => hasDunningEnded(subscription));
    const dated = await Promise.all(unpaid.map((account) => this.#dated(account, 'payment_failed')));
    return dated.sort((a, b) => ((a.since ?? '') > (b.since ?? '') ? -1 : 1)).slice(0, count);
  }

  /** An account with the time of the last such entry of its audit log. */
  async #dated(account: Account, event: AuditEntry['event']): Promise<Suspect> {
    const entries = await this.#accounts.auditOf(account.id);
    return { account, since: entries.findLast((entry) => entry.event === event)?.at ?? null };
  }

  async dunningDueBy(until: Moment, count: number): Promise<readonly Account[]> {
    return this.#existing()
      .filter(({ pending }) => pending.some(({ event, at }) => event === 'payment_failed' && at <= until))
      .flatMap((account) => {
        const due = nextDue(account);
        return due !== null && due <= until ? [{ account, due }] : [];
      })
      .sort((a, b) => (a.due < b.due ? -1 : 1))
      .slice(0, count)
      .map(({ account }) => account);
  }

  async largest(from: Moment, count: number): Promise<readonly Consumer[]> {
    const all = await Promise.all(
      this.#existing().map(async (account) => ({ account, ...sumOf(await this.#countsOf(account, from)) })),
    );
    return mostFirst(all.filter(({ requests }) => requests > 0)).slice(0, count);
  }

  async byDay(from: Moment): Promise<DayCounts> {
    const accounts = [...this.#accounts.all()];
    const audits = await Promise.all(accounts.map(({ id }) => this.#accounts.auditOf(id)));
    const ends = audits.flat().filter(({ event }) => event === 'cancelled');
    return {
      opened: countsByDay(
        accounts.map(({ openedAt }) => openedAt),
        from,
      ),
      canceled: countsByDay(
        ends.map(({ at }) => at),
        from,
      ),
      uncountedUntil: null,
    };
  }

  async onPlan(plan: PlanName, count: number): Promise<number> {
    return Math.min(this.#of(plan).length, count);
  }

  async listingMoreKeys(plan: PlanName, keys: number, count: number): Promise<readonly Account[]> {
    return this.#of(plan)
      .filter((account) => account.keys.length > keys)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, count);
  }

  async busiest({ plan, from, above }: BusyDays, count: number): Promise<readonly Consumer[]> {
    const all = await Promise.all(
      this.#of(plan).map(async (account) => {
        const counts = await this.#countsOf(account, from);
        const days = new Set(counts.map(({ hour }) => startOfDay(hour)));
        const ofDay = (day: Moment) => sumOf(counts.filter(({ hour }) => startOfDay(hour) === day));
        const [busiest] = mostFirst([...days].map((day) => ({ account, ...ofDay(day) })));
        return busiest !== undefined && busiest.requests > above ? [busiest] : [];
      }),
    );
    return mostFirst(all.flat()).slice(0, count);
  }

  /** Of all its keys. */
  async #countsOf(account: Account, from: Moment): Promise<readonly UsageCount[]> {
    const [key] = account.keys;
    return this.#usage.of(key === undefined ? [] : this.#accounts.keysBeside(key.id), from);
  }

  #of(plan: PlanName): Account[] {
    return this.#existing().filter(({ subscription }) => subscription.plan === plan);
  }

  #existing(): Account[] {
    return [...this.#accounts.all()].filter((account) => !isDeleted(account));
  }
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const sumOf = (counts: readonly UsageCount[]) => {
  const sum = (some: readonly UsageCount[]) => some.reduce((all, { requests }) => all + requests, 0);
  return { requests: sum(counts), refused: sum(counts.filter(({ statusClass }) => statusClass === '4xx')) };
};

function countsByDay(times: readonly Moment[], from: Moment): ReadonlyMap<Moment, number> {
  const counts = new Map<Moment, number>();
  for (const day of times.filter((at) => at >= from).map(startOfDay))
    counts.set(day, (counts.get(day) ?? 0) + 1);
  return counts;
}

const mostFirst = (consumers: readonly Consumer[]): readonly Consumer[] =>
  consumers.toSorted((a, b) => b.requests - a.requests || (a.account.id < b.account.id ? -1 : 1));
