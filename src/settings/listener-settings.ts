import {
  type Role,
  TOKEN_LENGTH_MIN,
  type TokenFault,
  tokenFaults,
} from '../domain/sign-in/internal-tokens.js';
import type { EnvironmentReader } from './environment.js';

/** Where the service listens, and the tokens of the internal listener (D30, D43). */
export type ListenerSettings = {
  readonly host: string;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  /** Host names that the internal listener accepts, besides IP addresses and localhost. */
  readonly internalHosts: readonly string[];
  /** Undefined: generated at the first start and stored in `stateDir`. */
  readonly operatorToken: string | undefined;
  readonly publisherToken: string | undefined;
};

export function readListeners(read: EnvironmentReader): ListenerSettings {
  const settings = {
    host: read.given('HOST') ?? '0.0.0.0',
    port: read.whole('PORT', 8080, 0, 65_535),
    internalHost: read.given('INTERNAL_HOST') ?? '127.0.0.1',
    internalPort: read.whole('INTERNAL_PORT', 8081, 0, 65_535),
    internalHosts: readHosts(read),
    operatorToken: read.secret('OPERATOR_TOKEN'),
    publisherToken: read.secret('PUBLISHER_TOKEN'),
  };
  refuseOnePort(read, settings);
  for (const fault of tokenFaults({ operator: settings.operatorToken, publisher: settings.publisherToken }))
    read.refuse(`${describeTokenFault(fault, TOKEN_SETTINGS)}; generate one with: openssl rand -hex 24`);
  return settings;
}

function readHosts(read: EnvironmentReader): readonly string[] {
  const hosts = read.given('INTERNAL_HOSTS')?.split(',') ?? [];
  if (hosts.every((host) => /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(host))) return hosts;
  read.refuse(
    'INTERNAL_HOSTS must be host names without a port, separated by commas, like oddswire,internal.example.com',
  );
  return [];
}

const TOKEN_SETTINGS = { operator: 'OPERATOR_TOKEN', publisher: 'PUBLISHER_TOKEN' };

/** Describes a fault. `names` has the name of the token of each role in its source: a setting or a file. */
export function describeTokenFault(fault: TokenFault, names: Readonly<Record<Role, string>>): string {
  switch (fault.fault) {
    case 'too short':
      return `${names[fault.role]} must have at least ${TOKEN_LENGTH_MIN} characters`;
    case 'equal':
      return `${names.operator} and ${names.publisher} must differ`;
  }
}

function refuseOnePort(read: EnvironmentReader, settings: ListenerSettings): void {
  const { host, port, internalHost, internalPort } = settings;
  if (port !== internalPort || port === 0 || !overlap(host, internalHost)) return;
  const hosts = host === internalHost ? host : `${host} and ${internalHost}`;
  read.refuse(`PORT and INTERNAL_PORT are both ${port} on ${hosts}; set them to different ports`);
}

/** Whether two listeners on one port would conflict on these hosts. `::` also accepts IPv4 connections. */
function overlap(one: string, other: string): boolean {
  const hosts = [one, other].map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  if (hosts[0] === hosts[1] || hosts.includes('::')) return true;
  return hosts.includes('0.0.0.0') && !hosts.some((host) => host.includes(':'));
}
