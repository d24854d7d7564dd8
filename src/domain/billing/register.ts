import type { Moment } from '../moment.js';

/** A value, the event that reported it, and what the event tells about its order among events of the same second. */
export type Report<Value> = {
  readonly value: Value;
  readonly event: string;
  /** The event reports that the object was created, so it is the first one. */
  readonly created?: true;
  /** The value before this one, if the event names it. */
  readonly previous?: Value;
};

/** A last-writer-wins register (D29). Of two of them the same one wins in either order. */
export type Register<Value> = Report<Value> & {
  /** When the processor created the event, in whole seconds. */
  readonly at: Moment;
  /** 1 if the value is final. Stored, and read by version 0.2.0. */
  readonly rank: number;
  /** It loses to every register without this flag, however old that is. */
  readonly provisional?: true;
  /** The other reports of the same second. The next one can decide which of them is the last. */
  readonly tied?: readonly Report<Value>[];
};

/** The newer value wins, by the time of the processor; of the same second, `lastOf` decides. */
export function newerWins<Value>(a: Register<Value>, b: Register<Value>): Register<Value> {
  if (a.provisional !== b.provisional) return a.provisional ? b : a;
  if (a.at !== b.at) return a.at > b.at ? a : b;
  const all = [...new Map([...reportsOf(a), ...reportsOf(b)].map((one) => [one.event, one])).values()];
  const reports = all.filter((one) => !all.some((other) => isDominated(one, other)));
  const last = lastOf(reports);
  const tied = reports.filter((one) => one !== last).sort((one, other) => (one.event < other.event ? -1 : 1));
  const { at, rank, provisional } = a;
  return { ...last, at, rank, ...(provisional && { provisional }), ...(tied.length > 0 && { tied }) };
}

/** Final values win over newer ones. Of two final values, the older wins. */
export function terminalWins<Value>(a: Register<Value>, b: Register<Value>): Register<Value> {
  if (a.rank !== b.rank) return a.rank > b.rank ? a : b;
  if (a.rank === 0) return newerWins(a, b);
  if (a.at === b.at) return a.event < b.event ? a : b;
  return a.at < b.at ? a : b;
}

/**
 * Whether `one` can be dropped beside `other`, because it is never the last of them: it has the same value, tells nothing about
 * the order, and has a smaller id.
 */
const isDominated = <Value>(one: Report<Value>, other: Report<Value>): boolean =>
  one.event < other.event &&
  one.created === undefined &&
  one.previous === undefined &&
  other.created === undefined &&
  JSON.stringify(one.value) === JSON.stringify(other.value);

function reportsOf<Value>(register: Register<Value>): readonly Report<Value>[] {
  const { at: _, rank: _rank, provisional: _provisional, tied = [], ...own } = register;
  return [own as Report<Value>, ...tied];
}

/** Whether only the event ids decided which of the reports of one second is the last. */
export function isUndecided<Value>(register: Register<Value>): boolean {
  const values = candidatesOf(reportsOf(register)).map(({ value }) => JSON.stringify(value));
  return register.rank === 0 && new Set(values).size > 1;
}

/**
 * The last of the reports of one second: never the creation if there is another one; not one whose value another one names
 * as the value before; then the one with the greatest event id, which tells no order and only makes the result the same
 * everywhere.
 */
const lastOf = <Value>(reports: readonly Report<Value>[]): Report<Value> =>
  candidatesOf(reports).reduce((a, b) => (a.event > b.event ? a : b));

/** The reports that can be the last one by what the events tell. */
function candidatesOf<Value>(reports: readonly Report<Value>[]): readonly Report<Value>[] {
  const changes = reports.filter(({ created }) => created !== true);
  const candidates = changes.length > 0 ? changes : reports;
  const isFollowed = (one: Report<Value>) =>
    candidates.some(({ value, previous }) => previous === one.value && value !== one.value);
  const unfollowed = candidates.filter((one) => !isFollowed(one));
  return unfollowed.length > 0 ? unfollowed : candidates;
}
