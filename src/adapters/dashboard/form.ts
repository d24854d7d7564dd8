import type { Context } from './state.js';

/** The fields of a submitted form; null if the body is not a form, or is too large. */
export function readForm(ctx: Context): URLSearchParams | null {
  const { body } = ctx.state;
  // A request without a body has no type either.
  if (ctx.is('application/x-www-form-urlencoded') === false || !Buffer.isBuffer(body)) return null;
  return new URLSearchParams(body.toString('utf8'));
}

/** Longer origins are rejected: the URL parser needs quadratic time for a long host. */
const ORIGIN_MAX = 300;

/**
 * Whether a form was sent from one of our own pages, by headers that other sites cannot change. Without both headers the
 * form token decides.
 */
export function isFromHere(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site === 'same-origin';
  const origin = ctx.get('Origin');
  if (origin === '') return true;
  if (origin.length > ORIGIN_MAX || !URL.canParse(origin)) return false;
  return new URL(origin).host === ctx.get('Host').toLowerCase();
}

/** Whether the request comes from a link of ours or a typed address, not from another site. */
export const isOwnLink = (ctx: Context): boolean =>
  ['', 'none', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'));
