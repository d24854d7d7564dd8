import type { Context } from './state.js';

/** The fields of a form that was sent; null when it is not one, or too large. */
export function readForm(ctx: Context): URLSearchParams | null {
  const { body } = ctx.state;
  // A request without a body has no type either.
  if (ctx.is('application/x-www-form-urlencoded') === false || !Buffer.isBuffer(body)) return null;
  return new URLSearchParams(body.toString('utf8'));
}

/** No origin is longer: the parser of URLs needs quadratic time for a long host. */
const ORIGIN_MAX = 300;

/**
 * Whether a form was sent from one of our own pages, by what the browser says, which a page elsewhere cannot change.
 * A browser that says neither is left to the form's token.
 */
export function isFromHere(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site === 'same-origin';
  const origin = ctx.get('Origin');
  if (origin === '') return true;
  if (origin.length > ORIGIN_MAX || !URL.canParse(origin)) return false;
  return new URL(origin).host === ctx.get('Host').toLowerCase();
}

/** Whether somebody came by a link of ours, or by an address they typed: not through a page elsewhere. */
export const isOwnLink = (ctx: Context): boolean =>
  ['', 'none', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'));
