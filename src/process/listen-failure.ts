import { ownValue } from '../domain/own-value.js';

/** The settings that a listener gets its address from, and what they are. */
export type ListenAddress = {
  readonly hostSetting: 'HOST' | 'INTERNAL_HOST';
  readonly portSetting: 'PORT' | 'INTERNAL_PORT';
  readonly host: string;
  readonly port: number;
};

const noAddress = ({ hostSetting, host }: ListenAddress) =>
  `${hostSetting} ${host} is unknown: no address was found for this name`;

/** What keeps a listener from opening, by the code of the system's error: the setting, what is wrong, what to do. */
const FAILURES: Readonly<Record<string, (address: ListenAddress) => string>> = {
  EADDRINUSE: ({ portSetting, port, host }) =>
    `${portSetting} ${port} is taken on ${host}: another process listens there. End it, or set ${portSetting} to another port`,
  EACCES: ({ portSetting, port, host }) =>
    `${portSetting} ${port} on ${host} needs a permission that this user does not have (ports below 1024 often do). Set ${portSetting} to another port`,
  EADDRNOTAVAIL: ({ hostSetting, host }) =>
    `${hostSetting} ${host} is no address of this machine: set it to one, or to 0.0.0.0 for all of them`,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

/** The error of a listener that could not open, in terms of the settings; any other fault is returned as it is. */
export function listenFailure(fault: unknown, address: ListenAddress): unknown {
  const describe = ownValue(FAILURES, (fault as NodeJS.ErrnoException).code ?? '');
  return describe === undefined ? fault : new Error(describe(address), { cause: fault });
}
