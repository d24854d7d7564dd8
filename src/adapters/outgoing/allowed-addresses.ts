import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of IPv6 that IANA assigns to networks. `::a.b.c.d` is outside, which the library calls unicast, too. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether requests may be sent to an address (D70): a public one, or one of a network that the operator allows. An IPv4 address
 * that is mapped into IPv6 is judged as the IPv4 address. All other forms that contain one are not public: NAT64, 6to4, Teredo.
 */
export function allowedAddresses(networks: readonly string[]): (address: string) => boolean {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    const address = addressOf(text);
    if (address === null) return false;
    const isIn = ([network, bits]: (typeof allowed)[number]) =>
      network.kind() === address.kind() && address.match(network, bits);
    return isPublic(address) || allowed.some(isIn);
  };
}

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6));

export const isLoopbackAddress = (text: string): boolean => addressOf(text)?.range() === 'loopback';

/** The library reads `::1.2.3.4` as `::ffff:1.2.3.4`, and a connection would go to `::102:304`. */
const COMPATIBLE_IPV4 = /^::[\d.]*\.\d+$/;

/** Null for a text that is no address to which a connection can be opened. */
const addressOf = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  isIP(text) === 0 || COMPATIBLE_IPV4.test(text) ? null : ipaddr.process(text);
