import { readFile, writeFile } from 'node:fs/promises';
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
  const wanted = JSON.stringify(kept);
  if (isNew) {
    await writeFile(recordOf(file), `${wanted}\n`);
    return null;
  }
  const made = (await readFile(recordOf(file), 'utf8').catch(unlessMissing)).trim();
  if (made === wanted) return null;
  return `it was made ${made === '{}' ? 'without filters' : `with ${made}`}; give the same options, or another file`;
}

function unlessMissing(fault: unknown): string {
  if ((fault as { readonly code?: string }).code === 'ENOENT') return '{}';
  throw fault;
}
