import type { Account } from '../../domain/accounts/account.js';
import { PLAN_NAMES, type PlanName } from '../../domain/billing/plan.js';
import {
  COMPARED_DAYS,
  type ProposedLimits,
  withMoreKeysInUse,
} from '../../domain/billing/proposed-limits.js';
import { keysInUse } from '../../domain/keys/allowance.js';
import { type Moment, plus, startOfDay } from '../../domain/moment.js';
import type { AccountLists } from '../ports/accounts/account-lists.js';
import { Unavailable } from '../unavailable.js';

/** Accounts are counted up to this number, and those beyond a limit are read up to it. */
export const ON_PLAN_MAX = 10_000;
export const BEYOND_MAX = 500;

/** An account, and how much it uses of what a limit would allow. */
export type UseBeyond = { readonly account: Account; readonly used: number };

/** The accounts beyond each proposed limit; null for a limit that stays, and if they could not be read in time. */
export type Beyond = {
  readonly keys: readonly UseBeyond[] | null;
  readonly requestsPerDay: readonly UseBeyond[] | null;
  /** Whether a list ended at `BEYOND_MAX`, or could not be read in time. */
  readonly isPartial: boolean;
};

/** How many accounts have each plan, and how many a lower limit would concern. It changes nothing. */
export class ReadPlanUse {
  readonly #lists: AccountLists;

  constructor({ accountLists }: { readonly accountLists: AccountLists }) {
    this.#lists = accountLists;
  }

  /** The number of accounts on each plan, at most `ON_PLAN_MAX`. */
  async counts(): Promise<ReadonlyMap<PlanName, number>> {
    const counts = PLAN_NAMES.map(
      async (name) => [name, await this.#lists.onPlan(name, ON_PLAN_MAX)] as const,
    );
    return new Map(await Promise.all(counts));
  }

  async beyond(plan: PlanName, limits: ProposedLimits, now: Moment): Promise<Beyond> {
    const { keys, requestsPerDay } = limits;
    const from = plus(startOfDay(now), -COMPARED_DAYS);
    const [holders, consumers] = await Promise.all([
      keys === null ? [] : inTime(this.#lists.listingMoreKeys(plan, keys, BEYOND_MAX)),
      requestsPerDay === null
        ? []
        : inTime(this.#lists.busiest({ plan, from, above: requestsPerDay }, BEYOND_MAX)),
    ]);
    const users = holders === null || keys === null ? null : withMoreKeysInUse(holders, keys);
    return {
      keys: users?.map((account) => ({ account, used: keysInUse(account.keys) })) ?? null,
      requestsPerDay:
        consumers === null || requestsPerDay === null
          ? null
          : consumers.map(({ account, requests }) => ({ account, used: requests })),
      isPartial: [holders, consumers].some((list) => list === null || list.length >= BEYOND_MAX),
    };
  }
}

/** Null if the store could not answer in time: the other list is useful all the same. */
const inTime = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((fault: unknown) => {
    if (fault instanceof Unavailable) return null;
    throw fault;
  });
