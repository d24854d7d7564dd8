import type { Moment } from '../../domain/moment.js';

const CLOCK = 'HH:MM:SS';
const ZONE = '+00';

/** Converts the text of a `timestamptz` (ISO style, UTC) to a `Moment` with six digits (D3). */
export function momentFromPostgres(text: string): Moment {
  if (!text.endsWith(ZONE)) throw new Error(`the session of Postgres is not in UTC: ${text}`);
  const space = text.indexOf(' ');
  const fraction = text.slice(space + CLOCK.length + 2, -ZONE.length).padEnd(6, '0');
  return `${text.slice(0, space)}T${text.slice(space + 1, space + 1 + CLOCK.length)}.${fraction}Z` as Moment;
}
