import { readFileSync } from 'node:fs';

/** The version in package.json. The path starts at the compiled file. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
