import { MILLISECOND, SECOND } from '../domain/moment.js';
import type { ClockComparison } from './rules/clock-difference.js';

/** Reads the clock of a server, in milliseconds since 1970, and compares it with the middle of the request. */
export async function compareClock(read: () => Promise<number>): Promise<ClockComparison> {
  const sentAt = Date.now();
  const server = await read();
  return comparison(sentAt, server);
}

/** Compares the `Date` of a response, which has whole seconds; null without a date. `sentAt` is in milliseconds. */
export function comparedDate(sentAt: number, date: string | undefined): ClockComparison | null {
  const server = Date.parse(date ?? '');
  if (Number.isNaN(server)) return null;
  const { ahead, uncertainty } = comparison(sentAt, server + 500);
  return { ahead, uncertainty: uncertainty + SECOND / 2 };
}

function comparison(sentAt: number, server: number): ClockComparison {
  const now = Date.now();
  return {
    ahead: Math.round((server - (sentAt + now) / 2) * MILLISECOND),
    uncertainty: Math.ceil(((now - sentAt) / 2) * MILLISECOND),
  };
}
