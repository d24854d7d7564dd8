import type { Account } from '../../domain/accounts/account.js';
import { type AccountDay, accountDays, firstDayShown } from '../../domain/accounts/account-days.js';
import { type Concern, concernsOf, DUNNING_SHOWN } from '../../domain/accounts/attention.js';
import type { ConsoleFigures } from '../../domain/accounts/console-figures.js';
import { limitedRequests } from '../../domain/limits/request-log.js';
import { type Moment, plus, startOfDay } from '../../domain/moment.js';
import type { ReadFeedHead } from '../feed/read-feed-head.js';
import type { ReadLimits } from '../limits/read-limits.js';
import type { AccountLists, Consumer } from '../ports/accounts/account-lists.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { PaymentInbox } from '../ports/billing/payment-inbox.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { RequestLogs } from '../ports/limits/request-logs.js';
import { Unavailable } from '../unavailable.js';

/** Each list is read up to this length, and a figure that reaches it is shown as "at least". */
export const LISTED_MAX = 40;
export const COUNTED_MAX = 1_000;
const LARGEST_SHOWN = 10;
const RECENT_SHOWN = 20;

/**
 * An account with many requests today. `share`: of its daily quota; null while the counters cannot be read. `limited`: those in the
 * request log that limits refused, a lower bound; null if the log cannot be read in time.
 */
export type LargeConsumer = Consumer & { readonly share: number | null; readonly limited: number | null };

export type ConsoleHome = {
  readonly figures: ConsoleFigures;
  /** When the last payment event was received, by any instance; null if none is stored. */
  readonly lastEventAt: Moment | null;
  readonly concerns: readonly Concern[];
  /** Those that the concerns name, by id. */
  readonly named: ReadonlyMap<string, Account>;
  /** Null if they could not be added up in time. */
  readonly largest: readonly LargeConsumer[] | null;
  readonly recent: readonly Account[];
  /** Null if they could not be counted in time. */
  readonly days: readonly AccountDay[] | null;
};

type Parts = {
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly accountLists: AccountLists;
  readonly inbox: Pick<PaymentInbox, 'list'>;
  readonly destinations: Pick<Destinations, 'list'>;
  readonly readFeedHead: ReadFeedHead;
  readonly readLimits: ReadLimits;
  readonly requestLogs: Pick<RequestLogs, 'of'>;
};

/** What an operator sees first: lists of bounded length. */
export const readConsoleHome = (parts: Parts) =>
  async function readConsoleHome(now: Moment): Promise<ConsoleHome> {
    const { accounts, accountLists, destinations, readFeedHead } = parts;
    const [
      newestItem,
      { events, lastEventAt, ...eventCounts },
      blockedAccounts,
      due,
      suspected,
      unpaid,
      listed,
      largest,
      recent,
      days,
    ] = await Promise.all([
      readFeedHead(),
      unappliedEvents(parts),
      accountLists.refused(COUNTED_MAX),
      accountLists.dunningDueBy(plus(now, DUNNING_SHOWN), LISTED_MAX),
      accountLists.suspectedOfAbuse(LISTED_MAX),
      accountLists.dunningEnded(LISTED_MAX),
      destinations.list(LISTED_MAX),
      nullIfUnavailable(() => largestToday(parts, now)),
      accountLists.newest(RECENT_SHOWN),
      nullIfUnavailable(async () => accountDays(await accountLists.byDay(firstDayShown(now)), now)),
    ]);
    const failing = listed
      .map(({ destination }) => destination)
      .filter(({ state }) => state.status === 'failing');
    const concerns = concernsOf({ events, due, suspected, unpaid, destinations: failing }, now);
    const named = await accounts.findAll(concerns.flatMap(({ account }) => account ?? []));
    return {
      figures: { newestItem, blockedAccounts, failingDestinations: failing.length, ...eventCounts },
      lastEventAt,
      concerns,
      named: new Map(named.map((account) => [account.id, account])),
      largest,
      recent,
      days,
    };
  };

export type ReadConsoleHome = ReturnType<typeof readConsoleHome>;

/** Payment events that were not applied, with their numbers, and when the last event of all was received. */
async function unappliedEvents({ inbox }: Parts) {
  const [failed, waiting, [last]] = await Promise.all([
    inbox.list({ state: 'failed' }, LISTED_MAX),
    inbox.list({ state: 'waiting' }, LISTED_MAX),
    inbox.list({}, 1),
  ]);
  const events = [
    ...failed.map((event) => ({ ...event, state: 'failed' as const })),
    ...waiting.map((event) => ({ ...event, state: 'waiting' as const })),
  ];
  const counts = { failedEvents: failed.length, waitingEvents: waiting.length };
  return { events, ...counts, lastEventAt: last?.receivedAt ?? null };
}

async function largestToday(
  { accountLists, readLimits, requestLogs }: Parts,
  now: Moment,
): Promise<readonly LargeConsumer[]> {
  const today = startOfDay(now);
  const found = await accountLists.largest(today, LARGEST_SHOWN);
  const keys = found.flatMap(({ account }) => account.keys.map(({ id }) => id));
  const logged = await nullIfUnavailable(() => requestLogs.of(keys, today));
  return Promise.all(
    found.map(async (consumer) => {
      const limits = await readLimits(consumer.account.subscription);
      const day = limits?.find(({ policy }) => policy.name === 'day');
      const share = day === undefined ? null : (day.policy.quota - day.remaining) / day.policy.quota;
      const limited = logged === null ? null : limitedRequests(logged, consumer.account.keys);
      return { ...consumer, share, limited };
    }),
  );
}

async function nullIfUnavailable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof Unavailable) return null;
    throw fault;
  }
}
