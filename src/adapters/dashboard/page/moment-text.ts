import { type Moment, startOfDay } from '../../../domain/moment.js';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

const dayOf = (at: Moment): number => Number(at.slice(8, 10));
const monthOf = (at: Moment): string => MONTHS[Number(at.slice(5, 7)) - 1] ?? '';
const yearOf = (at: Moment): string => at.slice(0, 4);

/** `3 March 2026`. For texts that are read without their page. */
export const dayText = (at: Moment): string => `${dayOf(at)} ${monthOf(at)} ${yearOf(at)}`;

/** `3 March 2026, 14:05 UTC`. */
export const momentText = (at: Moment): string => `${dayText(at)}, ${at.slice(11, 16)} UTC`;

/** `3 March 2026, 14:05:06 UTC`: what a short time has as its title. */
export const fullMomentText = (at: Moment): string => `${dayText(at)}, ${at.slice(11, 19)} UTC`;

/** `3 Mar`, with the year if it is not the one of `now`, or if `now` is not known. In UTC, as all times of the pages. */
export function shortDayText(at: Moment, now: Moment | null): string {
  const day = `${dayOf(at)} ${monthOf(at).slice(0, 3)}`;
  return now !== null && yearOf(at) === yearOf(now) ? day : `${day} ${yearOf(at)}`;
}

/** Whether the time alone says which moment is meant. */
export const isToday = (at: Moment, now: Moment | null): boolean =>
  now !== null && startOfDay(at) === startOfDay(now);

/** `14:05` today, `3 Mar, 14:05` in the year of `now`, else `3 Mar 2025, 14:05`. */
export const shortMomentText = (at: Moment, now: Moment | null): string => withDay(at, now, at.slice(11, 16));

/** As `shortMomentText`, with seconds. */
export const shortSecondText = (at: Moment, now: Moment | null): string => withDay(at, now, at.slice(11, 19));

const withDay = (at: Moment, now: Moment | null, time: string): string =>
  isToday(at, now) ? time : `${shortDayText(at, now)}, ${time}`;
