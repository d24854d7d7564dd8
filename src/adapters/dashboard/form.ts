import getRawBody from 'raw-body';
import type { Context } from './state.js';

/** Bytes of a form. Ours are small. */
const FORM_MAX = 16 * 1_024;

/** The fields of a form that was sent; null when it is not one, or too large. */
export async function readForm(ctx: Context): Promise<URLSearchParams | null> {
  if (ctx.is('application/x-www-form-urlencoded') === false) return null;
  try {
    return new URLSearchParams(await getRawBody(ctx.req, { limit: FORM_MAX, encoding: 'utf-8' }));
  } catch (fault) {
    if ((fault as { readonly type?: string }).type !== 'entity.too.large') throw fault;
    ctx.set('Connection', 'close');
    return null;
  }
}

/**
 * Whether a form was sent from one of our own pages, by what the browser says, which a page elsewhere cannot change.
 * A browser that says neither is left to the form's token.
 */
export function isFromHere(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site === 'same-origin';
  const origin = ctx.get('Origin');
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === ctx.get('Host').toLowerCase());
}

/** Whether somebody came by a link of ours, or by an address they typed: not through a page elsewhere. */
export const isOwnLink = (ctx: Context): boolean =>
  ['', 'none', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'));
