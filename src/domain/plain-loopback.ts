const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the host of a parsed URL is `localhost` or a loopback address. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * Whether a URL is plain HTTP to this machine. The service sends codes and tokens over plain HTTP only to such URLs.
 */
export function isPlainLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
