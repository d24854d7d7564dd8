import { type Config, readConfig } from '../../../src/settings/config.js';
import type { Environment } from '../../../src/settings/environment.js';

/** The settings that an environment makes; throws where it is refused. */
export const acceptedSettings = (environment: Environment = {}): Config => {
  const config = readConfig(environment);
  if ('faults' in config) throw new Error(config.faults.join('\n'));
  return config;
};

/** What is wrong with an environment. */
export const settingFaults = (environment: Environment): readonly string[] => {
  const config = readConfig(environment);
  return 'faults' in config ? config.faults : [];
};
