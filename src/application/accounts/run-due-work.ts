import type { Account, AccountId, AuditContext } from '../../domain/accounts/account.js';
import { applyDue } from '../../domain/accounts/account-due.js';
import { applyAnswers, type BillingRules, openQuestions } from '../../domain/billing/account-payments.js';
import type { PaymentEvent } from '../../domain/billing/payment-event.js';
import type { Moment } from '../../domain/moment.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import { Unavailable } from '../unavailable.js';

/** Accounts claimed at a time. */
const BATCH = 50;
/** The interval of the check whether other instances have finished the accounts that they claimed. */
const RECHECK_MS = 20;

export type DueWorkParts = {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly billingRules: BillingRules;
  /** Null if no processor is configured. */
  readonly processor: Processor | null;
  readonly pause: (ms: number) => Promise<unknown>;
};

/**
 * Does all due work. Each change gets the time at which it was due (D23, D28). A timer calls `once`. The test clock
 * calls `untilDone`, which waits until nothing is due on any instance (D30).
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

  async #settleClaimed(now: Moment): Promise<void> {
    const { accounts, processor } = this.#parts;
    // After a timeout, this run does not ask the processor again. Otherwise each further account would wait for another
    // timeout.
    const source = { processor };
    for (;;) {
      const due = await accounts.claimDue(now, BATCH);
      if (due.length === 0) return;
      for (const id of due) await this.#settle(id, now, source);
    }
  }

  async #settle(id: AccountId, now: Moment, source: { processor: Processor | null }): Promise<void> {
    const { accounts, billingRules } = this.#parts;
    const account = await accounts.find(id);
    if (account === null) return;
    const answers = await answersTo(source, account, now);
    const context: AuditContext = { actor: 'service', reason: null, at: now };
    await accounts.change(id, (found) =>
      found.pending.length === 0 ? applyDue(found, now) : applyAnswers(found, answers, billingRules, context),
    );
  }
}

/** The answers of the processor about open invoices and an ended trial; none or only some if it is unavailable. */
async function answersTo(
  source: { processor: Processor | null },
  account: Account,
  now: Moment,
): Promise<readonly PaymentEvent[]> {
  const { invoices, subscription } = openQuestions(account, now);
  const answers: (PaymentEvent | null)[] = [];
  try {
    for (const id of invoices) answers.push((await source.processor?.invoice(id, now)) ?? null);
    if (subscription !== null) {
      answers.push((await source.processor?.subscription(subscription, now)) ?? null);
    }
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    source.processor = null;
  }
  return answers.filter((answer) => answer !== null);
}
