import type { Context } from './state.js';

/** The cookies of the dashboard. Each holds a secret that identifies an entry in the store. */
export type CookieName = 'session' | 'operator' | 'asker' | 'flow';

export type CookieJar = {
  readonly read: (ctx: Context, name: CookieName) => string | null;
  /** Without `endsInSeconds` the cookie ends with the browser's session. */
  readonly write: (ctx: Context, name: CookieName, secret: string, endsInSeconds?: number) => void;
  readonly clear: (ctx: Context, name: CookieName) => void;
};

/**
 * Other hosts cannot set `__Host-` cookies, and browsers never send them over plain http. On the loopback interface there
 * is only plain http, so cookies have no prefix there.
 */
export function cookieJar(isSecure: boolean): CookieJar {
  const nameOf = (name: CookieName) => `${isSecure ? '__Host-' : ''}oddswire_${name}`;
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure, overwrite: true } as const;
  const set = (ctx: Context, name: CookieName, value: string | null, maxAge?: number) => {
    // Our connection may be a proxy's, without TLS; `isSecure` says whether the browser uses https.
    ctx.cookies.secure = isSecure;
    ctx.cookies.set(nameOf(name), value, { ...options, ...(maxAge !== undefined && { maxAge }) });
  };
  return {
    read: (ctx, name) => ctx.cookies.get(nameOf(name)) ?? null,
    write: (ctx, name, secret, endsInSeconds) =>
      set(ctx, name, secret, endsInSeconds === undefined ? undefined : endsInSeconds * 1_000),
    clear: (ctx, name) => set(ctx, name, null),
  };
}
