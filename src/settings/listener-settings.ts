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
  /** Names that the internal listener answers under, beside IP addresses and localhost. */
  readonly internalHosts: readonly string[];
  /** Undefined: made at the first start, and kept in `stateDir`. */
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
    read.refuse(`${describeTokenFault(fault, TOKEN_SETTINGS)}; make one with: openssl rand -base64 24`);
  return settings;
}

function readHosts(read: EnvironmentReader): readonly string[] {
  const hosts = read.given('INTERNAL_HOSTS')?.split(',') ?? [];
  if (hosts.every((host) => /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(host))) return hosts;
  read.refuse(
    'INTERNAL_HOSTS must be names without a port, separated by commas, like oddswire,door.example.com',
  );
  return [];
}

const TOKEN_SETTINGS = { operator: 'OPERATOR_TOKEN', publisher: 'PUBLISHER_TOKEN' };

/** `names` says what the token of each role is called where it was found. */
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
  read.refuse(`PORT and INTERNAL_PORT are both ${port} on ${hosts}: each listener needs a port of its own`);
}

/** Whether two listeners on one port would collide on these hosts. `::` takes IPv4 connections too. */
function overlap(one: string, other: string): boolean {
  const hosts = [one, other].map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  if (hosts[0] === hosts[1] || hosts.includes('::')) return true;
  return hosts.includes('0.0.0.0') && !hosts.some((host) => host.includes(':'));
}
