import type { Context } from './state.js';

/** What the dashboard keeps in a browser: secrets, each of which names something in the store. */
export type CookieName = 'session' | 'operator' | 'asker' | 'flow';

export type CookieJar = {
  readonly read: (ctx: Context, name: CookieName) => string | null;
  /** Without an end it goes with the browser's session. */
  readonly write: (ctx: Context, name: CookieName, secret: string, endsInSeconds?: number) => void;
  readonly clear: (ctx: Context, name: CookieName) => void;
};

/**
 * `__Host-` cookies cannot be set by other hosts, nor go over plain http. On the loopback interface there is only
 * plain http, and so no prefix: else nobody could try the service on their own machine.
 */
export function cookieJar(isSecure: boolean): CookieJar {
  const nameOf = (name: CookieName) => `${isSecure ? '__Host-' : ''}oddswire_${name}`;
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure, overwrite: true } as const;
  const set = (ctx: Context, name: CookieName, value: string | null, maxAge?: number) => {
    // The connection that we see may be a proxy's, and plain; the browser's is what `isSecure` says.
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
