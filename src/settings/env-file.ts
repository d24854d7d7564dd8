import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of an env file to `environment`. A variable that is already set there wins, even if it is empty.
 * Returns why the file cannot be read, or null. A missing file is not an error.
 */
export function loadEnvFile(environment: Record<string, string | undefined>, path = '.env'): string | null {
  try {
    // TextDecoder removes a byte order mark, which would otherwise become part of the first name.
    const read = Object.entries(parseEnv(new TextDecoder().decode(readFileSync(path))));
    for (const [name, value] of read) environment[name] ??= value;
    return null;
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : `cannot read ${path}: ${message}`;
  }
}
