import type { Moment } from '../../domain/moment.js';

/** Converts the text of a `timestamptz` (ISO style, UTC) to a `Moment` with six digits (D3). */
export function momentFromPostgres(text: string): Moment {
  const [date = '', time = ''] = text.split(' ');
  const [clock = '', fraction = ''] = time.replace(/\+00$/, '').split('.');
  return `${date}T${clock}.${fraction.padEnd(6, '0')}Z` as Moment;
}
