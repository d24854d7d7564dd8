const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a URL is plain HTTP to this machine. The service sends codes and tokens over plain HTTP only to such URLs.
 */
export function isPlainLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && LOOPBACK.test(hostname);
}
