import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { isNetworkFault, readNetwork } from '../../../domain/keys/network.js';
import type { ClientGroups } from '../../../domain/limits/attempt.js';

/**
 * The client address. Behind trusted proxies, it is entry number `hops` of `X-Forwarded-For`, counted from the right,
 * because the client itself can write entries further left (T10). Without proxies, it is the address of the peer.
 */
export function clientAddress(peer = '', forwardedFor: string, hops: number): string {
  if (hops === 0) return peer;
  return withoutPort(forwardedFor.split(',').at(-hops)?.trim() ?? '') || peer;
}

/** Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;

/** The unit of the limits on addresses: an IPv4 address or an IPv6 /64 (D33). */
export const addressGroup = (address: string): string => rangesOf(address).group;

/** Addresses that one client can easily obtain: an IPv4 /24 or an IPv6 /64. */
export const subnetOf = (address: string): string => rangesOf(address).subnet;

/** An address, and the ranges that it belongs to. */
export type AddressRanges = {
  /** In its normal form; `unknown` for a text that is no address. */
  readonly address: string;
  /** The result of `addressGroup`. */
  readonly group: string;
  /** The client network, for abuse detection: an IPv4 /24 or an IPv6 /48. */
  readonly network: string;
  /** The result of `subnetOf`. */
  readonly subnet: string;
};

/** The groups by which attempts to sign in are counted. */
export function clientGroups(address: string): ClientGroups {
  const { group, subnet } = rangesOf(address);
  return { address: group, subnet };
}

/**
 * A cache, because clients send many requests from one address, and parsing an address takes as long as admitting a
 * request.
 */
const ranges = new LRUCache<string, AddressRanges>({ max: 10_000 });

/**
 * The longest valid address, with a zone and an IPv4 part, is not longer. Longer texts are not parsed: clients can
 * write any text into `X-Forwarded-For`, the parser needs quadratic time for texts like `1:1:1…`, and the cache would
 * store them.
 */
const ADDRESS_MAX = 64;
const UNKNOWN: AddressRanges = {
  address: 'unknown',
  group: 'unknown',
  network: 'unknown',
  subnet: 'unknown',
};

export function rangesOf(address: string): AddressRanges {
  if (address.length > ADDRESS_MAX) return UNKNOWN;
  const known = ranges.get(address);
  if (known !== undefined) return known;
  const fresh = {
    address: normalAddress(address),
    group: within(address, 32, 64),
    network: within(address, 24, 48),
    subnet: within(address, 24, 64),
  };
  ranges.set(address, fresh);
  return fresh;
}

/** The library reads `::1.2.3.4` as `::ffff:1.2.3.4`. For an allowlist it would be the address of somebody else. */
function normalAddress(address: string): string {
  const read = address.includes('/') ? 'malformed' : readNetwork(address);
  return isNetworkFault(read) ? 'unknown' : read;
}

function within(address: string, bits4: number, bits6: number): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    if (bits4 === 32) return parsed.toString();
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/${bits4}`).toString()}/${bits4}`;
  }
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${bits6}`).toString()}/${bits6}`;
}
