/**
 * A page loads only what the service itself serves: nothing inline, nothing from other hosts, and no frames. Its address
 * may contain the secret of a sign-in link, so other origins get no referrer.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
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

/** After one visit over https, browsers never use http again. */
const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

export const securityHeaders = (isSecure: boolean): Readonly<Record<string, string>> => ({
  ...SECURITY_HEADERS,
  ...(isSecure && STRICT_TRANSPORT),
});
