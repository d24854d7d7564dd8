import type { AccountId } from '../../domain/accounts/account.js';
import { isDeleted } from '../../domain/accounts/account-deletion.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import {
  isNewLevel,
  type QuotaReached,
  quotaNotice,
  quotaReached,
  withQuotaMails,
} from '../../domain/limits/quota-mails.js';
import type { Limit } from '../../domain/limits/rate-limit.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Outbox } from '../ports/accounts/outbox.js';
import type { Clock } from '../ports/clock.js';
import { Unavailable } from '../unavailable.js';

/** The most keys whose levels are remembered. Beyond it they are forgotten: the outbox keeps one mail for each occasion. */
const KEYS_MAX = 50_000;

type Parts = {
  readonly accounts: Pick<Accounts, 'findByKey' | 'change'>;
  readonly outbox: Pick<Outbox, 'queue'>;
  readonly clock: Clock;
};

/**
 * Mails to owners when 80 and 100 percent of the quota of a day are used (D73). Each instance notes the limits of the answers that it
 * sends; the mail is queued later. So no request waits for it, and nobody has to add up the usage of all accounts.
 */
export class QuotaMails {
  readonly #parts: Parts;
  readonly #noted = new Map<KeyId, QuotaReached>();
  #waiting = new Map<KeyId, QuotaReached>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Runs for every answer to a key: it compares two numbers, as long as less than 80 percent are used. */
  note(key: KeyId, limits: readonly Limit[]): void {
    const reached = quotaReached(limits);
    if (reached === null || !isNewLevel(this.#noted.get(key), reached)) return;
    if (this.#noted.size >= KEYS_MAX) this.#noted.clear();
    this.#noted.set(key, reached);
    this.#waiting.set(key, reached);
  }

  /** Queues the mails of the levels that were noted. Those that could not be stored are tried again. */
  async queue(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [key, reached] of waiting) {
      try {
        await this.#queueOne(key, reached);
      } catch (fault) {
        // What fails for another reason must not hold the others up.
        if (!(fault instanceof Unavailable)) waiting.delete(key);
        this.#waiting = new Map([...waiting, ...this.#waiting]);
        throw fault;
      }
      waiting.delete(key);
    }
  }

  /** Switches the mails of an account on or off. */
  async switch(id: AccountId, isOn: boolean): Promise<Refusal | null> {
    const changed = await this.#parts.accounts.change(id, (account) =>
      isDeleted(account) ? refuse('account_deleted') : { next: withQuotaMails(account, isOn), entries: [] },
    );
    return isRefusal(changed) ? changed : null;
  }

  async #queueOne(key: KeyId, reached: QuotaReached): Promise<void> {
    const { accounts, outbox, clock } = this.#parts;
    const account = await accounts.findByKey(key);
    const notice = account === null ? null : quotaNotice(account, reached);
    if (account !== null && notice !== null) await outbox.queue(account.id, notice, clock());
  }
}
