declare const moment: unique symbol;

/**
 * A point in time, always written as `2026-01-02T03:04:05.678901Z`. All have the same length, so that the order of the
 * texts is the order of the times (D3).
 */
export type Moment = string & { readonly [moment]: true };

/** A length of time in whole microseconds; exact up to 285 years. */
export type Duration = number;

export const MICROSECOND: Duration = 1;
export const MILLISECOND: Duration = 1_000;
export const SECOND: Duration = 1_000_000;
export const MINUTE: Duration = 60 * SECOND;
export const HOUR: Duration = 60 * MINUTE;
export const DAY: Duration = 24 * HOUR;

export const FIRST_MOMENT = '0001-01-01T00:00:00.000000Z' as Moment;
export const LAST_MOMENT = '9999-12-31T23:59:59.999999Z' as Moment;

/** The pattern of a written moment. */
export const MOMENT_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';

/** Whole seconds since 1970. Parsed digit by digit: every request calls this, and `Date.parse` takes ten times as long. */
export const epochSeconds = (at: Moment): number =>
  daysBefore(digits(at, 0, 4), digits(at, 5, 7), digits(at, 8, 10)) * 86_400 +
  digits(at, 11, 13) * 3_600 +
  digits(at, 14, 16) * 60 +
  digits(at, 17, 19);

const microsOf = (at: Moment): number => digits(at, 20, 26);

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i += 1) number = number * 10 + text.charCodeAt(i) - 48;
  return number;
}

/** Days from 1970-01-01 to a Gregorian date. Years start in March here, so that a leap day is the last day of a year. */
function daysBefore(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((months * 153 + 2) / 5) + day - 719_469;
}

/** `at` plus `length`, but not before `FIRST_MOMENT` or after `LAST_MOMENT` (D4). */
export const plus = (at: Moment, length: Duration): Moment => {
  const micros = microsOf(at) + length;
  const carried = Math.floor(micros / SECOND);
  return momentOf(epochSeconds(at) + carried, micros - carried * SECOND);
};

/** How much later `to` is than `from`; negative when it is earlier. Exact up to 285 years. */
export const between = (from: Moment, to: Moment): Duration =>
  (epochSeconds(to) - epochSeconds(from)) * SECOND + microsOf(to) - microsOf(from);

/** The start of the UTC minute that contains a moment. */
export const startOfMinute = (at: Moment): Moment => `${at.slice(0, 16)}:00.000000Z` as Moment;

/** The start of the UTC hour that contains a moment. */
export const startOfHour = (at: Moment): Moment => `${at.slice(0, 13)}:00:00.000000Z` as Moment;

/** The start of the UTC day that contains a moment. */
export const startOfDay = (at: Moment): Moment => `${at.slice(0, 10)}T00:00:00.000000Z` as Moment;

export const latest = (first: Moment, ...others: readonly Moment[]): Moment =>
  others.reduce((latestYet, at) => (at > latestYet ? at : latestYet), first);

export const earliest = (first: Moment, second: Moment): Moment => (first < second ? first : second);

/** The moment for milliseconds since 1970. */
export const fromEpochMillis = (millis: number): Moment => {
  const seconds = Math.floor(millis / 1_000);
  return momentOf(seconds, Math.floor((millis - seconds * 1_000) * 1_000));
};

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+ -])(\d{2}):(\d{2}))?)?$/;

/** The pattern of each text that `parseMoment` parses. It does not exclude all others, such as February 31. */
export const READ_MOMENT_PATTERN = DATE_TIME.source;

/**
 * Parses a moment in any form of D4; undefined for anything else.
 *
 * More than six fractional digits are rounded up. Stored moments have six digits, so that the comparisons with a cursor
 * and with `since` give the same result as with all digits.
 */
export function parseMoment(text: string): Moment | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, date = '', hour = '00', minute = '00', second = '00', fraction = '', sign, hours, minutes] = match;
  const midnight = midnightOf(date);
  const offset = offsetSeconds(sign, hours, minutes);
  if (midnight === undefined || offset === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;

  const seconds = midnight + Number(hour) * 3_600 + Number(minute) * 60 + Number(second) - offset;
  if (second === '60') {
    // A leap second exists only just before midnight UTC. It is read as the following second.
    return seconds % 86_400 === 0 ? formattedInRange(seconds, 0) : undefined;
  }
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0')) + (/[1-9]/.test(fraction.slice(6)) ? 1 : 0);
  return micros === SECOND ? formattedInRange(seconds + 1, 0) : formattedInRange(seconds, micros);
}

/** Seconds from 1970 to the start of a date; undefined if the calendar has no such date. */
function midnightOf(date: string): number | undefined {
  const millis = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== date) return undefined;
  return millis / 1_000;
}

function offsetSeconds(sign = '+', hours = '00', minutes = '00'): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  // An unescaped `+` in a query string arrives as a space.
  return sign === '-' ? -seconds : seconds;
}

const FIRST_SECOND = epochSeconds(FIRST_MOMENT);
const LAST_SECOND = epochSeconds(LAST_MOMENT);

const formattedInRange = (seconds: number, micros: number): Moment | undefined =>
  seconds < FIRST_SECOND || seconds > LAST_SECOND ? undefined : momentOf(seconds, micros);

/** The moment for whole seconds since 1970, and microseconds below a second. */
export function momentOf(seconds: number, micros: number): Moment {
  if (seconds < FIRST_SECOND) return FIRST_MOMENT;
  if (seconds > LAST_SECOND) return LAST_MOMENT;
  const date = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return `${date}.${String(micros).padStart(6, '0')}Z` as Moment;
}
