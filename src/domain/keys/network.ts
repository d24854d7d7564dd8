declare const network: unique symbol;

/**
 * An address or a network in its normal form: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32` (RFC 5952). An IPv4 address that is
 * mapped into IPv6 is the IPv4 address.
 */
export type Network = string & { readonly [network]: true };

/** Why a text is no network: it is none, it has bits after the prefix, or it has every address of its family. */
export type NetworkFault = 'malformed' | 'bits_after_prefix' | 'every_address';

/** Eight groups of 16 bits. An IPv4 address is `::ffff:a.b.c.d`, so both families are compared in the same way. */
type Groups = readonly number[];
type Range = { readonly groups: Groups; readonly bits: number };

/** The longest text of a network. Longer ones are not parsed. */
const TEXT_MAX = 50;
const BITS = 128;
/** The bits before the IPv4 address in a mapped one. */
const MAPPED_BITS = 96;
const MAPPED: Groups = [0, 0, 0, 0, 0, 0xffff];

/** Reads an address, or a network in CIDR notation. */
export function readNetwork(text: string): Network | NetworkFault {
  const range = text.length > TEXT_MAX ? null : rangeOf(text);
  if (range === null) return 'malformed';
  const { groups, bits } = range;
  if (bits === (isIpv4(groups) && bits >= MAPPED_BITS ? MAPPED_BITS : 0)) return 'every_address';
  if (groups.some((group, i) => group !== (group & maskOf(bits, i)))) return 'bits_after_prefix';
  return written(range);
}

export const isNetworkFault = (read: Network | NetworkFault): read is NetworkFault =>
  read === 'malformed' || read === 'bits_after_prefix' || read === 'every_address';

const compiled = new WeakMap<readonly Network[], readonly Range[]>();

/** Whether an address is in one of the networks. A text that is no address is in none. */
export function isWithin(address: string, networks: readonly Network[]): boolean {
  const groups = address.length > TEXT_MAX ? null : groupsOf(address);
  if (groups === null) return false;
  let ranges = compiled.get(networks);
  if (ranges === undefined) {
    ranges = networks.map(rangeOf).filter((range) => range !== null);
    compiled.set(networks, ranges);
  }
  return ranges.some((range) => contains(range, groups));
}

/** A network of IPv6 that has all mapped addresses has no IPv4 address: nobody who allows it means those. */
const contains = ({ groups, bits }: Range, address: Groups): boolean =>
  (bits >= MAPPED_BITS || !isIpv4(address)) &&
  groups.every((group, i) => group === ((address[i] ?? 0) & maskOf(bits, i)));

/** The bits of group `i` that belong to a prefix. */
const maskOf = (bits: number, i: number): number =>
  (0xffff << Math.max(0, Math.min(16, 16 * (i + 1) - bits))) & 0xffff;

const isIpv4 = (groups: Groups): boolean => MAPPED.every((group, i) => group === groups[i]);

/** The prefix of an IPv4 address counts from the first bit of it, and that of a mapped one from the first bit of IPv6. */
function rangeOf(text: string): Range | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const groups = groupsOf(address);
  if (groups === null || rest.length > 0) return null;
  if (prefix === undefined) return { groups, bits: BITS };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return null;
  const bits = Number(prefix) + (address.includes(':') ? 0 : MAPPED_BITS);
  return bits <= BITS ? { groups, bits } : null;
}

function groupsOf(text: string): Groups | null {
  if (!text.includes(':')) {
    const ipv4 = ipv4Groups(text);
    return ipv4 === null ? null : [...MAPPED, ...ipv4];
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = '', tail] = halves;
  // An IPv4 address may only be at the end.
  const before = ipv6Groups(head, tail === undefined);
  const after = tail === undefined ? [] : ipv6Groups(tail, true);
  if (before === null || after === null) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  return [...before, ...new Array<number>(missing).fill(0), ...after];
}

function ipv6Groups(text: string, mayEndInIpv4: boolean): Groups | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [i, piece] of parts.entries()) {
    const ipv4 = mayEndInIpv4 && i === parts.length - 1 ? ipv4Groups(piece) : null;
    if (ipv4 !== null) groups.push(...ipv4);
    else if (/^[\da-f]{1,4}$/i.test(piece)) groups.push(Number.parseInt(piece, 16));
    else return null;
  }
  return groups;
}

/** Four decimal numbers without leading zeros, which some programs read as octal. */
function ipv4Groups(text: string): Groups | null {
  const bytes = text.split('.');
  if (bytes.length !== 4 || !bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte))) return null;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return Math.max(a, b, c, d) > 255 ? null : [a * 256 + b, c * 256 + d];
}

function written({ groups, bits }: Range): Network {
  const inIpv4 = isIpv4(groups) && bits >= MAPPED_BITS;
  const address = inIpv4 ? ipv4Text(groups) : ipv6Text(groups);
  const prefix = bits === BITS ? '' : `/${inIpv4 ? bits - MAPPED_BITS : bits}`;
  return `${address}${prefix}` as Network;
}

const ipv4Text = (groups: Groups): string =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');

/** The longest run of at least two zero groups, the first of several, is written as `::` (RFC 5952). */
function ipv6Text(groups: Groups): string {
  const texts = groups.map((group) => group.toString(16));
  let run = { from: 0, length: 1 };
  for (let from = 0; from < groups.length; from += 1) {
    let length = 0;
    while (groups[from + length] === 0) length += 1;
    if (length > run.length) run = { from, length };
  }
  if (run.length < 2) return texts.join(':');
  return `${texts.slice(0, run.from).join(':')}::${texts.slice(run.from + run.length).join(':')}`;
}
