import { parsedUrl } from './parsed-url.js';

/** One server in a database URL. `host` is a name, an address, or the folder of a Unix socket. */
export type DatabaseHost = { readonly host: string; readonly port: number };

const DEFAULT_PORT = 5432;
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const HOST = /^(\[[^\]]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/;
/** The values of `target_session_attrs` with which a session must be on the primary. */
const PRIMARY_ONLY = new Set(['read-write', 'primary']);

/**
 * A URL with several hosts (`postgres://a:5432,b:5433/db`) in the other form of libpq, which is also a valid URL:
 * `postgres://a:5432/db?host=a,b&port=5432,5433`. Other URLs are returned unchanged; null for hosts that are malformed.
 */
export function withHostParameters(url: string): string | null {
  const [, start = '', authority = '', rest = ''] = AUTHORITY.exec(url) ?? [];
  if (!authority.includes(',')) return url;
  const hosts = authority.split(',').map((each) => HOST.exec(each));
  const first = hosts[0]?.[0];
  const valid = first === undefined || hosts.includes(null) ? null : parsedUrl(`${start}${first}${rest}`);
  if (valid === null) return null;
  valid.searchParams.set('host', hosts.map((each) => unbracketed(each?.[1] ?? '')).join(','));
  valid.searchParams.set('port', hosts.map((each) => each?.[2] ?? DEFAULT_PORT).join(','));
  return valid.href;
}

/** The servers of a valid URL, in its order; at least one. One port counts for all hosts. */
export function databaseHosts(url: string): readonly [DatabaseHost, ...DatabaseHost[]] {
  const { hostname, port, searchParams } = new URL(url);
  const names = (searchParams.get('host') ?? unbracketed(decodeURIComponent(hostname))).split(',');
  const ports = (searchParams.get('port') ?? port).split(',').map((each) => Number(each) || DEFAULT_PORT);
  const at = (i: number): DatabaseHost => ({
    host: names[i] ?? '',
    port: ports[i] ?? ports[0] ?? DEFAULT_PORT,
  });
  return [at(0), ...names.slice(1).map((_, i) => at(i + 1))];
}

/** Whether every session must be on the primary: by `target_session_attrs`, or because there are several hosts. */
export const needsPrimary = (url: string): boolean =>
  databaseHosts(url).length > 1 ||
  PRIMARY_ONLY.has(new URL(url).searchParams.get('target_session_attrs') ?? '');

/** Why the URL cannot be used for the stores, which write; null if it can. */
export function targetFault(url: string): string | null {
  const target = new URL(url).searchParams.get('target_session_attrs');
  if (target === null || PRIMARY_ONLY.has(target)) return null;
  if (target === 'any' && databaseHosts(url).length === 1) return null;
  return 'must have target_session_attrs=read-write, because the service writes';
}

export const hostText = ({ host, port }: DatabaseHost): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '');
