/** The names of this machine. An attacker cannot make a browser resolve them to another address. */
const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const HOST = /^(\[[0-9a-f:.]*\]|[^:/?#@[\]]+)(?::\d{0,5})?$/i;
const ORIGIN = /^https?:\/\/([^/?#@]+)$/i;

/** A name in capital letters, or with the dot of the root at its end, is the same name. */
const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/**
 * Whether a request names this service as its `Host`, and comes from a page of this service or of this machine, if it
 * comes from a page. With DNS rebinding, the name of a foreign page resolves to the service, and the browser sends that
 * name in both headers. Undefined: the header is absent. Ports are not compared, because a proxy may change them.
 */
export function isOwnSource(
  { host, origin }: { readonly host: string | undefined; readonly origin: string | undefined },
  publicHost: string,
): boolean {
  const isOwn = (sent: string): boolean => {
    const sentName = HOST.exec(sent)?.[1];
    if (sentName === undefined) return false;
    const name = canonical(sentName);
    return LOCAL_NAMES.has(name) || name === canonical(publicHost);
  };
  if (host !== undefined && !isOwn(host)) return false;
  return origin === undefined || isOwn(ORIGIN.exec(origin)?.[1] ?? '');
}
