import type { KeyId } from '../keys/api-key.js';
import { DAY, type Moment, plus, startOfHour } from '../moment.js';
import { NO_REQUESTS, STATUS_CLASSES, type StatusClass, type UsageCount } from './usage.js';

/** The requests with one key in one hour, by the class of their answers (D74). */
export type HourlyUsage = {
  readonly hour: Moment;
  readonly key: KeyId;
  readonly requests: Readonly<Record<StatusClass, number>>;
};

/** The first hour of the history. */
export const hourlySince = (now: Moment): Moment => plus(startOfHour(now), -30 * DAY);

/** The hours with requests, oldest first; in an hour, the keys in the order of their ids. */
export function hourlyUsage(counts: readonly UsageCount[], since: Moment): readonly HourlyUsage[] {
  const rows = new Map<string, HourlyUsage>();
  for (const { hour, key, statusClass, requests } of counts) {
    if (hour < since) continue;
    const name = `${hour} ${key}`;
    const row = rows.get(name) ?? { hour, key, requests: NO_REQUESTS };
    const sum = row.requests[statusClass] + requests;
    rows.set(name, { ...row, requests: { ...row.requests, [statusClass]: sum } });
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The same as CSV, with a line of names first. No value has a comma, a quote or a line break. */
export const usageCsv = (hours: readonly HourlyUsage[]): string =>
  [
    ['hour', 'key_id', ...STATUS_CLASSES],
    ...hours.map(({ hour, key, requests }) => [hour, key, ...STATUS_CLASSES.map((each) => requests[each])]),
  ]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');
