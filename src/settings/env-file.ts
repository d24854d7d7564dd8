import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of an env file to `environment`; a variable that is set there already wins, even an empty one.
 * Returns why the file cannot be read, or null. A missing file is no error.
 */
export function loadEnvFile(environment: Record<string, string | undefined>, path = '.env'): string | null {
  try {
    // Decoded without its byte order mark, which would become a part of the first name.
    const read = Object.entries(parseEnv(new TextDecoder().decode(readFileSync(path))));
    for (const [name, value] of read) environment[name] ??= value;
    return null;
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : `${path} cannot be read: ${message}`;
  }
}
