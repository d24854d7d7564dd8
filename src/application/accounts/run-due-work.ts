import type { Account, AccountId, AuditContext } from '../../domain/accounts/account.js';
import {
  applyDue,
  type FirstUses,
  RETRY_AFTER_FAULT,
  withFirstUses,
} from '../../domain/accounts/account-due.js';
import { applyAnswers, type BillingRules } from '../../domain/billing/account-payments.js';
import type { PaymentEvent } from '../../domain/billing/payment-event.js';
import { hasQuestions, openQuestions } from '../../domain/billing/processor-questions.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { uncheckedSuccessors } from '../../domain/keys/overlap.js';
import { type Moment, plus } from '../../domain/moment.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import type { KeyUses } from '../ports/keys/key-uses.js';
import type { ReportFailure } from '../report-failure.js';
import { Unavailable } from '../unavailable.js';

/** Accounts claimed at a time. */
const BATCH = 50;
/** The interval of the check whether other instances have finished the accounts that they claimed. */
const RECHECK_MS = 20;

export type DueWorkParts = {
  readonly accounts: Accounts;
  readonly keyUses: KeyUses;
  readonly clock: Clock;
  readonly billingRules: BillingRules;
  /** Null if no processor is configured. */
  readonly processor: Processor | null;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly reportFailure: ReportFailure;
};

/**
 * Does all due work. An account whose work fails does not prevent the work of the others: if it cannot be reached now,
 * it is claimed again when its claim expires; after any other fault its work is postponed. Each change gets the time at
 * which it was due (D23, D28). A timer calls `once`. The test clock calls `untilDone`, which waits until nothing is due on
 * any instance (D30).
 */
export class RunDueWork {
  readonly #parts: DueWorkParts;

  constructor(parts: DueWorkParts) {
    this.#parts = parts;
  }

  once(): Promise<void> {
    return this.#settleClaimed(this.#parts.clock());
  }

  async untilDone(): Promise<void> {
    const { accounts, clock, pause } = this.#parts;
    const now = clock();
    for (;;) {
      await this.#settleClaimed(now);
      if (!(await accounts.isAnyDue(now))) return;
      await pause(RECHECK_MS);
    }
  }

  /** Throws the first `Unavailable` after the last account. */
  async #settleClaimed(now: Moment): Promise<void> {
    const { accounts, processor } = this.#parts;
    let unavailable: Unavailable | null = null;
    // After a timeout, this run does not ask the processor again. Otherwise each further account would wait for another
    // timeout.
    const source = { processor };
    for (;;) {
      const due = await accounts.claimDue(now, BATCH);
      if (due.length === 0) break;
      for (const id of due) unavailable = (await this.#tryToSettle(id, now, source)) ?? unavailable;
    }
    if (unavailable !== null) throw unavailable;
  }

  /** Returns the fault if the store cannot answer now. */
  async #tryToSettle(
    id: AccountId,
    now: Moment,
    source: { processor: Processor | null },
  ): Promise<Unavailable | null> {
    const { accounts, reportFailure } = this.#parts;
    try {
      await this.#settle(id, now, source);
      return null;
    } catch (fault) {
      if (fault instanceof Unavailable) return fault;
      reportFailure(fault, { account: id });
      await accounts.postponeDue(id, plus(now, RETRY_AFTER_FAULT));
      return null;
    }
  }

  async #settle(id: AccountId, now: Moment, source: { processor: Processor | null }): Promise<void> {
    const { accounts, billingRules, keyUses } = this.#parts;
    const account = await accounts.find(id);
    if (account === null) return;
    const uses = await firstUses(keyUses, uncheckedSuccessors(account.keys, now));
    const answers = await answersTo(source, account, now);
    const context: AuditContext = { actor: 'service', reason: null, at: now };
    await accounts.change(id, (stored) => {
      const found = withFirstUses(stored, uses, now);
      return hasQuestions(found) ? applyAnswers(found, answers, billingRules, context) : applyDue(found, now);
    });
  }
}

async function firstUses(keyUses: KeyUses, successors: readonly KeyId[]): Promise<FirstUses> {
  if (successors.length === 0) return new Map();
  const uses = await keyUses.of(successors);
  return new Map(successors.map((id) => [id, uses.get(id)?.firstAt ?? null]));
}

/** The answers of the processor to the open questions; none or only some if it is unavailable. */
async function answersTo(
  source: { processor: Processor | null },
  account: Account,
  now: Moment,
): Promise<readonly PaymentEvent[]> {
  const { invoices, subscriptions } = openQuestions(account, now);
  const answers: (PaymentEvent | null)[] = [];
  try {
    for (const id of invoices) answers.push((await source.processor?.invoice(id, now)) ?? null);
    for (const id of subscriptions) answers.push((await source.processor?.subscription(id, now)) ?? null);
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    source.processor = null;
  }
  return answers.filter((answer) => answer !== null);
}
