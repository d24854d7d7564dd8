import { loadEnvFile } from './env-file.js';
import type { Environment } from './environment.js';

/** The environment of this process plus `.env` in the working directory. Exits if that file is unreadable. */
export function processEnvironment(): Environment {
  const fault = loadEnvFile(process.env);
  if (fault === null) return process.env;
  console.error(`oddswire: ${fault}`);
  process.exit(1);
}
