import { ownValue } from '../domain/own-value.js';

/** The address of a listener, and the settings that it comes from. */
export type ListenAddress = {
  readonly hostSetting: 'HOST' | 'INTERNAL_HOST';
  readonly portSetting: 'PORT' | 'INTERNAL_PORT';
  readonly host: string;
  readonly port: number;
};

const unresolved = ({ hostSetting, host }: ListenAddress) =>
  `${hostSetting} ${host} cannot be resolved: set it to an IP address, or to a name that has one`;

/** Why a listener cannot open, by the code of the system error: the setting, the cause, what to do. */
const FAILURES: Readonly<Record<string, (address: ListenAddress) => string>> = {
  EADDRINUSE: ({ portSetting, port, host }) =>
    `${portSetting} ${port} is in use on ${host}: another process listens there. Stop that process, or set ${portSetting} to another port`,
  EACCES: ({ portSetting, port, host }) =>
    `${portSetting} ${port} on ${host} needs a permission that this user does not have, as ports below 1024 often do. Set ${portSetting} to another port`,
  EADDRNOTAVAIL: ({ hostSetting, host }) =>
    `${hostSetting} ${host} is not an address of this machine: set it to one, or to 0.0.0.0 for all of them`,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
};

/** Describes the error of a listener that cannot open in terms of the settings. Returns any other error unchanged. */
export function listenFailure(fault: unknown, address: ListenAddress): unknown {
  const describe = ownValue(FAILURES, (fault as NodeJS.ErrnoException).code ?? '');
  return describe === undefined ? fault : new Error(describe(address), { cause: fault });
}
