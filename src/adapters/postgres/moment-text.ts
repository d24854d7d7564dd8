import type { Moment } from '../../domain/moment.js';

/** What Postgres writes for a `timestamptz` (ISO style, UTC), with all six digits (D3). */
export function momentFromPostgres(text: string): Moment {
  const [date = '', time = ''] = text.split(' ');
  const [clock = '', fraction = ''] = time.replace(/\+00$/, '').split('.');
  return `${date}T${clock}.${fraction.padEnd(6, '0')}Z` as Moment;
}
