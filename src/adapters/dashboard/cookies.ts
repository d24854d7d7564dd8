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
    if (maxAge !== undefined) addMaxAge(ctx, nameOf(name), maxAge / 1_000);
  };
  return {
    read: (ctx, name) => ctx.cookies.get(nameOf(name)) ?? null,
    write: (ctx, name, secret, endsInSeconds) =>
      set(ctx, name, secret, endsInSeconds === undefined ? undefined : endsInSeconds * 1_000),
    clear: (ctx, name) => set(ctx, name, null),
  };
}

/**
 * `Expires` is a time of this machine, and browsers compare it with `Date`, which is the time of the service: a test clock moves
 * that. `Max-Age` has priority (RFC 6265).
 */
function addMaxAge(ctx: Context, name: string, seconds: number): void {
  const lines = [ctx.res.getHeader('Set-Cookie') ?? []].flat().map(String);
  ctx.res.setHeader(
    'Set-Cookie',
    lines.map((line) => (line.startsWith(`${name}=`) ? `${line}; max-age=${seconds}` : line)),
  );
}
