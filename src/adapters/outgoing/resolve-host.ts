import { Resolver } from 'node:dns/promises';

/** All addresses of a host name; none if there is no such name, or no name server answers. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 1_500;
const TRIES = 2;

/**
 * Asks the name servers of the system. The file of hosts and search domains do not apply: they name machines inside.
 *
 * `lookup` of Node is not used. It runs in the four threads that files and cryptography use, too, so that four hosts
 * whose name servers are silent would stop all of these for seconds.
 */
export function dnsResolution(servers: readonly string[] = []): ResolveHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (host) => {
    // Most hosts have addresses of one family only: the other query fails then.
    const queries = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return queries.flatMap((query) => (query.status === 'fulfilled' ? query.value : []));
  };
}
