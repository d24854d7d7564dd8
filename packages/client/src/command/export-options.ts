import type { HistoryQuery } from '../query.js';
import { FILTER_FLAGS, queryOf, readArguments, TEXT, TEXTS } from './read-arguments.js';

/** What a caller asks for. The key is only in the environment, because other users of a machine can see arguments. */
export type ExportCall = {
  readonly file: string;
  readonly url: string;
  readonly key: string;
  readonly query: HistoryQuery;
};

type Environment = Readonly<Record<string, string | undefined>>;

const OPTIONS = {
  out: TEXT,
  url: TEXT,
  after: TEXT,
  since: TEXT,
  until: TEXT,
  'news-id': TEXT,
  'market-id': TEXTS,
  ...FILTER_FLAGS,
} as const;

/** The call, or what is wrong with it. */
export function readExportCall(
  args: readonly string[],
  { ODDSWIRE_URL, ODDSWIRE_KEY: key = '' }: Environment,
): ExportCall | { readonly failed: string } {
  const read = readArguments(args, OPTIONS);
  if ('failed' in read) return read;
  const { out: file = '', url: given = '', ...parameters } = queryOf(read.values, OPTIONS);
  if (typeof file !== 'string' || file === '') return { failed: 'name the file with --out' };
  if (parameters['after'] !== undefined && parameters['since'] !== undefined)
    return { failed: '--after and --since exclude each other' };
  const url = String(given || ODDSWIRE_URL || 'http://localhost:8080').replace(/\/+$/, '');
  // The address is not repeated: somebody may have put a key into it.
  if (!URL.canParse(url) || !/^https?:\/\/[^/?#@]+$/.test(url))
    return { failed: '--url or ODDSWIRE_URL must be like https://api.example.com, without a path' };
  if (!/^[!-~]+$/.test(key)) return { failed: 'ODDSWIRE_KEY must be the API key' };
  const { after, since, until, ...filters } = parameters as HistoryQuery;
  const query: HistoryQuery = { after, since, until, ...filters };
  return { file, url, key, query };
}
