import type { Account, AccountId, AuditContext } from '../../domain/accounts/account.js';
import { settled } from '../../domain/accounts/account-due.js';
import { afterAsking, type BillingRules, questionsOf } from '../../domain/billing/account-payments.js';
import type { PaymentEvent } from '../../domain/billing/payment-event.js';
import type { Moment } from '../../domain/moment.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import { Unavailable } from '../unavailable.js';

/** Accounts claimed at a time. */
const BATCH = 50;
/** How often it is looked whether another instance is done with what it has claimed. */
const LOOK_AGAIN_MS = 20;

export type DueWorkParts = {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly billingRules: BillingRules;
  /** Null where there is none to be asked. */
  readonly processor: Processor | null;
  readonly pause: (ms: number) => Promise<unknown>;
};

/**
 * Does everything that has fallen due, each thing as of the moment it fell due (D23, D28). A timer calls
 * it, and so does the test clock, which waits until nothing is due any more, here or elsewhere (D30).
 */
export class RunDueWork {
  readonly #parts: DueWorkParts;

  constructor(parts: DueWorkParts) {
    this.#parts = parts;
  }

  once(): Promise<void> {
    return this.#claimed(this.#parts.clock());
  }

  async untilDone(): Promise<void> {
    const { accounts, clock, pause } = this.#parts;
    const now = clock();
    for (;;) {
      await this.#claimed(now);
      if (!(await accounts.isAnyDue(now))) return;
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #claimed(now: Moment): Promise<void> {
    const { accounts, processor } = this.#parts;
    // Once it did not answer it is asked nothing more in this round: all would wait for it, one after another.
    const asked = { processor };
    for (;;) {
      const due = await accounts.claimDue(now, BATCH);
      if (due.length === 0) return;
      for (const id of due) await this.#settle(id, now, asked);
    }
  }

  async #settle(id: AccountId, now: Moment, asked: { processor: Processor | null }): Promise<void> {
    const { accounts, billingRules } = this.#parts;
    const account = await accounts.find(id);
    if (account === null) return;
    const answers = await answersTo(asked, account, now);
    const context: AuditContext = { actor: 'service', reason: null, at: now };
    await accounts.change(id, (found) =>
      found.pending.length === 0 ? settled(found, now) : afterAsking(found, answers, billingRules, context),
    );
  }
}

/** What the processor says of what is overdue; nothing where it cannot be asked. */
async function answersTo(
  asked: { processor: Processor | null },
  account: Account,
  now: Moment,
): Promise<readonly PaymentEvent[]> {
  const { invoices, subscription } = questionsOf(account, now);
  const answers: (PaymentEvent | null)[] = [];
  try {
    for (const id of invoices) answers.push((await asked.processor?.invoice(id, now)) ?? null);
    if (subscription !== null) {
      answers.push((await asked.processor?.subscription(subscription, now)) ?? null);
    }
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
    asked.processor = null;
  }
  return answers.filter((answer) => answer !== null);
}
