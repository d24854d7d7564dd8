import { type Config, readConfig } from '../../../src/settings/config.js';
import type { Environment } from '../../../src/settings/environment.js';

/** The settings of an environment. Throws if the environment is invalid. */
export const acceptedSettings = (environment: Environment = {}): Config => {
  const config = readConfig(environment);
  if ('faults' in config) throw new Error(config.faults.join('\n'));
  return config;
};

/** The error messages for an invalid environment. */
export const settingFaults = (environment: Environment): readonly string[] => {
  const config = readConfig(environment);
  return 'faults' in config ? config.faults : [];
};
