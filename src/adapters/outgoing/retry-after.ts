import { type Duration, MILLISECOND, SECOND } from '../../domain/moment.js';

const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The time that a header `Retry-After` states, in seconds or as a date (RFC 9110); null for any other text. `now`:
 * milliseconds since 1970, by the clock of this machine, as the receiver knows no test clock.
 */
export function retryAfterOf(header: string | undefined, now: number): Duration | null {
  if (header === undefined) return null;
  if (SECONDS.test(header)) return Number(header) * SECOND;
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now) * MILLISECOND;
}
