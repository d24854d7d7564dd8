import { isIP, type LookupFunction } from 'node:net';
import type { NoAnswer } from '../../domain/destinations/delivery.js';
import {
  type DestinationUrlRules,
  isAllowedLoopback,
  urlFault,
} from '../../domain/destinations/destination-url.js';
import { isLoopbackAddress } from './allowed-addresses.js';
import type { ResolveHost } from './resolve-host.js';

/** Why no connection was opened. A connection fails with it. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
  readonly why: NoAnswer;

  constructor(why: NoAnswer) {
    super(why);
    this.why = why;
  }
}

export type AddressRules = DestinationUrlRules & { readonly isAllowed: (address: string) => boolean };

/** `host`: without the brackets of an IPv6 address. `lookup` is called for each new connection to a host name. */
export type CheckedHost = { readonly host: string; readonly lookup: LookupFunction };

/**
 * Checks a URL, and all that is resolved for it later (D70). Node connects to the addresses that `lookup` returns and resolves
 * nothing itself, so a name whose addresses change after the check reaches no other address. Node does not call `lookup` for
 * an address in the URL, so it is checked here.
 */
export function checkedHost(url: URL, rules: AddressRules, resolve: ResolveHost): CheckedHost | NoAnswer {
  if (urlFault(url, rules) !== null) return 'url_not_allowed';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = isAllowedLoopback(url, rules);
  const isAllowed = (address: string) =>
    rules.isAllowed(address) || (isLoopback && isLoopbackAddress(address));
  if (isIP(host) !== 0 && !isAllowed(host)) return 'address_not_allowed';
  const resolveChecked = async () => {
    const addresses = isLoopback ? LOOPBACK : await resolve(host);
    if (addresses.length === 0) throw new NotConnected('not_resolved');
    if (!addresses.every(isAllowed)) throw new NotConnected('address_not_allowed');
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  const lookup: LookupFunction = (_host, _options, callback) => {
    resolveChecked().then(
      (addresses) => callback(null, addresses),
      (fault: Error) => callback(fault, []),
    );
  };
  return { host, lookup };
}

/** The addresses of `localhost`, which the name servers do not know. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];
