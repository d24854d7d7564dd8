import type { Account } from '../accounts/account.js';
import { isDeleted } from '../accounts/account-deletion.js';
import type { Notice } from '../accounts/notice.js';
import { fromEpochMillis, type Moment } from '../moment.js';
import type { Limit } from './rate-limit.js';

/** The shares of the day's quota, in percent, at which the owner gets a mail (D73). */
type QuotaLevel = 80 | 100;

/** A share of the quota of a day that was reached. */
export type QuotaReached = {
  readonly level: QuotaLevel;
  readonly quota: number;
  /** When the day ends, in whole seconds since 1970. */
  readonly endsAt: number;
};

/** The highest level that these limits have reached; null if there is none. Only the limit of a day counts. */
export function quotaReached(limits: readonly Limit[]): QuotaReached | null {
  for (const { policy, remaining, endsAt } of limits) {
    if (policy.name !== 'day') continue;
    const usedPercent = (policy.quota - remaining) * 100;
    if (usedPercent < 80 * policy.quota) return null;
    return { level: usedPercent < 100 * policy.quota ? 80 : 100, quota: policy.quota, endsAt };
  }
  return null;
}

/** Whether a level is new after an earlier one of the same key: of another day, or higher. */
export const isNewLevel = (earlier: QuotaReached | undefined, { level, endsAt }: QuotaReached): boolean =>
  earlier === undefined || earlier.endsAt !== endsAt || earlier.level < level;

/** The mail to the owner; null if there is none to get. One occasion for each level and day, so that several instances send one mail. */
export function quotaNotice(account: Account, { level, quota, endsAt }: QuotaReached): Notice | null {
  if (account.quotaMailsOff === true || isDeleted(account)) return null;
  const resetsAt: Moment = fromEpochMillis(endsAt * 1_000);
  const { plan } = account.subscription;
  return {
    to: account.email,
    occasion: `quota_used/${level}/${resetsAt}`,
    news: { kind: 'quota_used', level, quota, plan, resetsAt },
  };
}

/** The account with these mails switched on or off. */
export function withQuotaMails(account: Account, isOn: boolean): Account {
  const { quotaMailsOff: _, ...others } = account;
  return isOn ? others : { ...others, quotaMailsOff: true };
}
