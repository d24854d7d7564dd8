/** The servers that the URLs of `REDIS_URL` name. */
export type RedisServers =
  | { readonly kind: 'server'; readonly url: string }
  /** `urls` are some nodes of the cluster. */
  | { readonly kind: 'cluster'; readonly urls: readonly string[] }
  /** `sentinels` know the primary by its `name`; its URL is `primary` with another host and port. */
  | {
      readonly kind: 'sentinel';
      readonly name: string;
      readonly sentinels: readonly string[];
      readonly primary: string;
    };

const SENTINEL = /^(rediss?)\+sentinel:/;
const SENTINEL_AUTHORITY = /^(rediss?\+sentinel:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const SENTINEL_PORT = '26379';
const PARAMETERS: ReadonlySet<string> = new Set(['db', 'sentinel_username', 'sentinel_password']);

export const REDIS_SCHEMES: readonly string[] = ['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel'];

/**
 * The URLs of a setting. `redis+sentinel://user@a:26379,b/name` becomes one URL for each Sentinel, which is a valid URL:
 * `redis+sentinel://user@a:26379/name` and `redis+sentinel://user@b/name`.
 */
export function redisUrls(setting: string): readonly string[] {
  const [, start = '', authority = '', rest = ''] = SENTINEL_AUTHORITY.exec(setting) ?? [];
  return start === '' ? setting.split(',') : authority.split(',').map((host) => `${start}${host}${rest}`);
}

/** Why valid URLs cannot be used; null if they can. */
export function redisUrlsFault(urls: readonly string[]): string | null {
  const sentinels = urls.filter((url) => SENTINEL.test(url));
  if (sentinels.length === 0)
    return urls.every((url) => /^(\/\d*)?$/.test(new URL(url).pathname))
      ? null
      : 'must have the number of a database as its path, like redis://host/1, or no path';
  const { pathname, searchParams } = new URL(sentinels[0] ?? '');
  if (sentinels.length < urls.length || !/^\/[\w.-]+$/.test(pathname))
    return 'must have the name of the primary as its path, like redis+sentinel://host,host2/name, as “sentinel monitor” has it';
  const areKnown = [...searchParams.keys()].every((name) => PARAMETERS.has(name));
  return areKnown && /^\d*$/.test(searchParams.get('db') ?? '')
    ? null
    : 'must have no other parameters than db=number, sentinel_username and sentinel_password';
}

/** `urls` are valid, and have no fault. */
export function redisServers(urls: readonly string[]): RedisServers {
  const [first = ''] = urls;
  const [, scheme] = SENTINEL.exec(first) ?? [];
  if (scheme === undefined)
    return urls.length > 1 ? { kind: 'cluster', urls } : { kind: 'server', url: first };
  const { username, password, pathname, searchParams } = new URL(first);
  const parameter = (name: string) => encodeURIComponent(searchParams.get(name) ?? '');
  const credentials = (user: string, secret: string) => (user + secret === '' ? '' : `${user}:${secret}@`);
  const ofSentinel = credentials(parameter('sentinel_username'), parameter('sentinel_password'));
  return {
    kind: 'sentinel',
    name: pathname.slice(1),
    sentinels: urls.map((url) => {
      const { hostname, port } = new URL(url);
      return `${scheme}://${ofSentinel}${hostname}:${port || SENTINEL_PORT}`;
    }),
    primary: `${scheme}://${credentials(username, password)}host/${parameter('db')}`,
  };
}

/** The URL with another host and port: the credentials, TLS and the database stay the same. */
export function atAddress(url: string, host: string, port: number): string {
  const moved = new URL(url);
  moved.hostname = host.includes(':') ? `[${host}]` : host;
  moved.port = String(port);
  return moved.href;
}
