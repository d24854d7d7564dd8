import { readFile, writeFile } from 'node:fs/promises';
import { isObject, parsed } from '../json.js';
import type { HistoryQuery } from '../query.js';

/** The file beside an export that says where it begins and what it leaves out. */
const recordOf = (file: string): string => `${file}.filters.json`;

/**
 * Why a file cannot be continued with this query; null if it can. A file that is continued with other filters would have gaps
 * that nothing shows. `isNew`: the file has no changes yet. A file without a record was made without filters.
 */
export async function otherFilters(
  file: string,
  isNew: boolean,
  query: HistoryQuery,
): Promise<string | null> {
  const { until: _, ...kept } = query;
  if (isNew) {
    await writeFile(recordOf(file), `${JSON.stringify(kept)}\n`);
    return null;
  }
  const made = (await readFile(recordOf(file), 'utf8').catch(unlessMissing)).trim();
  if (inOneOrder(parsed(made)) === inOneOrder(kept)) return null;
  return `it was made ${made === '{}' ? 'without filters' : `with ${made}`}; give the same options, or another file`;
}

/** The order in which options were given does not matter. */
const inOneOrder = (filters: unknown): string =>
  JSON.stringify(isObject(filters) ? Object.entries(filters).filter(isGiven).sort(byName) : null);

type Entry = readonly [name: string, value: unknown];
const isGiven = ([, value]: Entry): boolean => value !== undefined;
const byName = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : 1);

function unlessMissing(fault: unknown): string {
  if ((fault as { readonly code?: string }).code === 'ENOENT') return '{}';
  throw fault;
}
