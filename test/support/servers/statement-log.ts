import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestPostgres } from './postgres.js';

/** The setting with which a Postgres writes each statement to its log. */
export const LOGGED_STATEMENTS = { log_statement: 'all', log_line_prefix: '' } as const;

/** The start of a line of the log. The lines of a long statement begin with a tab. */
const STATEMENT = /^LOG: +(?:statement|execute [^:]*): ((?:.*)(?:\n\t.*)*)/gm;

/** All statements so far of a Postgres with `LOGGED_STATEMENTS`, each in one line. */
export function loggedStatements({ folder }: Pick<TestPostgres, 'folder'>): readonly string[] {
  const log = readFileSync(join(folder, 'server.log'), 'utf8');
  return [...log.matchAll(STATEMENT)].map(([, text = '']) => text.replace(/\s+/g, ' ').trim());
}
