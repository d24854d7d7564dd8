import ipaddr from 'ipaddr.js';
import type { DestinationUrlRules } from '../domain/destinations/destination-url.js';
import type { EnvironmentReader } from './environment.js';

/** The settings of destinations (D70), besides the number of each plan. */
export type DestinationSettings = DestinationUrlRules & {
  /** Empty: with Postgres there are no destinations. There are two while the key is replaced; the first one seals. */
  readonly secretsKeys: readonly string[];
  /** Networks that requests may reach besides the public addresses, as `10.0.0.0/8`. */
  readonly networks: readonly string[];
  /** The number of deliveries that one process sends at the same time. */
  readonly workers: number;
  readonly timeoutMs: number;
};

export function readDestinations(read: EnvironmentReader): DestinationSettings {
  const networks = readNetworks(read);
  return {
    secretsKeys: readSecretsKeys(read),
    networks,
    allowsLoopback: networks.some(isLoopback),
    ports: readPorts(read),
    workers: read.whole('DESTINATION_WORKERS', 50, 1, 1_000),
    timeoutMs: read.whole('DESTINATION_TIMEOUT_MS', 10_000, 100, 60_000),
  };
}

/** 32 bytes in hexadecimal digits or in base64. */
const SECRETS_KEY = /^(?:[\da-f]{64}|[\w+/-]{43}=?)$/i;

function readSecretsKeys(read: EnvironmentReader): readonly string[] {
  const keys = read.given('SECRETS_KEY')?.split(',') ?? [];
  if (keys.length <= 2 && keys.every((key) => SECRETS_KEY.test(key))) return keys;
  read.refuse(
    'SECRETS_KEY must be 32 bytes in base64 or hexadecimal digits, or two such keys separated by a comma while it is rotated; generate one with: openssl rand -base64 32',
  );
  return [];
}

function readNetworks(read: EnvironmentReader): readonly string[] {
  const given = read.given('DESTINATIONS_ALLOW')?.split(',') ?? [];
  const networks = given.map(networkOf).filter((network) => network !== null);
  if (networks.length === given.length) return networks;
  read.refuse(
    'DESTINATIONS_ALLOW must be addresses or networks, separated by commas, like 10.1.0.0/16,fd00:1::/32; bits after the prefix must be 0',
  );
  return [];
}

/** A network in its normal form. Null for any other text, also with bits after the prefix: a digit is probably wrong. */
function networkOf(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const isValid = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  if (!isValid || rest.length > 0) return null;
  const parsed = ipaddr.parse(address);
  const bits = 8 * parsed.toByteArray().length;
  if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)) return null;
  const network = `${parsed.toString()}/${prefix ?? bits}`;
  const family = parsed instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = family.networkAddressFromCIDR(network).toString();
  return first === parsed.toString() ? network : null;
}

/** Who allows loopback addresses runs receivers on this machine, so plain http is allowed there, too. */
function isLoopback(network: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(network);
  return address.range() === 'loopback' && bits >= 8;
}

function readPorts(read: EnvironmentReader): readonly number[] {
  const ports = read.given('DESTINATION_PORTS')?.split(',') ?? [];
  if (ports.every((port) => /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) return ports.map(Number);
  read.refuse('DESTINATION_PORTS must be port numbers, separated by commas, like 8444,9443');
  return [];
}
