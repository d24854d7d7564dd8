import { readFileSync } from 'node:fs';

/** As package.json has it; the compiled file stands two folders below. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
