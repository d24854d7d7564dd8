import { DAY, type Moment, plus, startOfDay } from '../moment.js';

/** Opened accounts and ended subscriptions of the days (UTC) since a time. A day is named by its start; one without any is absent. */
export type DayCounts = {
  readonly opened: ReadonlyMap<Moment, number>;
  readonly canceled: ReadonlyMap<Moment, number>;
  /** The last day of which cancellations were left out, as they may be of every day before; null if all were counted. */
  readonly uncountedUntil: Moment | null;
};

/** `canceled`: null if not all cancellations of the day were counted. */
export type AccountDay = {
  readonly day: Moment;
  readonly opened: number;
  readonly canceled: number | null;
};

const DAYS_SHOWN = 14;

/** The start of the first day that the console shows. */
export const firstDayShown = (now: Moment): Moment => plus(startOfDay(now), (1 - DAYS_SHOWN) * DAY);

/** Every day that the console shows, the newest first. */
export function accountDays(
  { opened, canceled, uncountedUntil }: DayCounts,
  now: Moment,
): readonly AccountDay[] {
  const today = startOfDay(now);
  const isCounted = (day: Moment) => uncountedUntil === null || day > uncountedUntil;
  return Array.from({ length: DAYS_SHOWN }, (_, age) => plus(today, -age * DAY)).map((day) => ({
    day,
    opened: opened.get(day) ?? 0,
    canceled: isCounted(day) ? (canceled.get(day) ?? 0) : null,
  }));
}
