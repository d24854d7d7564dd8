import type { Destination } from '../destinations/destination.js';
import { DAY, type Duration, earliest, type Moment, plus } from '../moment.js';
import { accessOf } from './access.js';
import type { Account, AccountId } from './account.js';

/** What an operator has to do something about, the most urgent first: money that is not booked, then customers who lose access. Those who lost it come last: they can be many. */
export const CONCERNS = [
  'payment_event_failed',
  'payment_event_waiting',
  'dunning_ends',
  'abuse',
  'destination_failing',
  'dunning_ended',
] as const;
export type ConcernKind = (typeof CONCERNS)[number];

export type Concern = {
  readonly kind: ConcernKind;
  /** Of the payment event or the destination; null for a concern of an account. */
  readonly id: string | null;
  readonly account: AccountId | null;
  /** What happened, as it is stored: the fault of an event, the label of a destination. */
  readonly detail: string | null;
  /** When it began; null if that is not known. */
  readonly since: Moment | null;
  /** When it becomes worse; null if it does not by itself. */
  readonly until: Moment | null;
};

/** An operator has this time to reach a customer before the access ends. */
export const DUNNING_SHOWN: Duration = 3 * DAY;

export type Observed = {
  readonly events: readonly {
    readonly id: string;
    readonly state: 'failed' | 'waiting';
    readonly account: AccountId | null;
    readonly fault: string | null;
    readonly receivedAt: Moment;
  }[];
  /** Accounts in dunning. */
  readonly due: readonly Account[];
  /** Those that are suspended for abuse. */
  readonly suspected: readonly { readonly account: Account; readonly since: Moment | null }[];
  readonly destinations: readonly Destination[];
  /** Those that are refused because dunning ended. */
  readonly unpaid: readonly { readonly account: Account; readonly since: Moment | null }[];
};

/** The concerns in the order of `CONCERNS`; of one kind, the one that becomes worse next first, then the oldest. Of ended dunning, the newest first. */
export function concernsOf(
  { events, due, suspected, destinations, unpaid }: Observed,
  now: Moment,
): readonly Concern[] {
  const found: readonly Concern[] = [
    ...events.map(({ id, state, account, fault, receivedAt }) => ({
      ...{ kind: `payment_event_${state}` as const, id, account },
      ...{ detail: fault, since: receivedAt, until: null },
    })),
    ...due.flatMap((account) => endingDunning(account, now)),
    ...suspected.map(({ account, since }) => ({
      ...{ ...OF_ACCOUNT, kind: 'abuse' as const, account: account.id, since },
    })),
    ...destinations.flatMap(failing),
    ...unpaid.toSorted(newestFirst).map(({ account, since }) => ({
      ...{ ...OF_ACCOUNT, kind: 'dunning_ended' as const, account: account.id, since },
    })),
  ];
  return found.toSorted(byUrgency);
}

const OF_ACCOUNT = { id: null, detail: null, since: null, until: null };

function endingDunning(account: Account, now: Moment): readonly Concern[] {
  const access = accessOf(account, now);
  if (access.status !== 'at_risk' || access.endsAt > plus(now, DUNNING_SHOWN)) return [];
  const [first, ...others] = account.dunning.map(({ firstFailedAt }) => firstFailedAt);
  const since = first === undefined ? null : others.reduce(earliest, first);
  return [{ ...OF_ACCOUNT, kind: 'dunning_ends', account: account.id, since, until: access.endsAt }];
}

type Dated = { readonly since: Moment | null };

/** An unknown time sorts last. */
const newestFirst = ({ since: a }: Dated, { since: b }: Dated): number =>
  a === b ? 0 : (a ?? '') > (b ?? '') ? -1 : 1;

const failing = ({ id, account, label, state }: Destination): readonly Concern[] =>
  state.status === 'failing'
    ? [{ kind: 'destination_failing', id, account, detail: label, since: state.since, until: null }]
    : [];

/** Sorts after every moment. */
const UNKNOWN = '~';

/** Concerns with the same order stay as they were found. */
const orderOf = ({ kind, until, since }: Concern): string =>
  kind === 'dunning_ended'
    ? `${CONCERNS.indexOf(kind)}`
    : `${CONCERNS.indexOf(kind)} ${until ?? UNKNOWN} ${since ?? UNKNOWN}`;

const byUrgency = (one: Concern, other: Concern): number => {
  const [a, b] = [orderOf(one), orderOf(other)];
  return a === b ? 0 : a < b ? -1 : 1;
};
