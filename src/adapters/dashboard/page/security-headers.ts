/**
 * A page runs what the service itself serves and nothing else: no inline script or style, no other host, no frame. An
 * address may hold the secret of a link, and goes nowhere.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** For browsers that came over https once: never over http again. */
const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** The headers of every page. */
export const securityHeaders = (isSecure: boolean): Readonly<Record<string, string>> => ({
  ...SECURITY_HEADERS,
  ...(isSecure && STRICT_TRANSPORT),
});
