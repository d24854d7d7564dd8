import { parseArgs } from 'node:util';
import type { HistoryQuery } from '../../../packages/client/src/query.js';

/** What a caller asks for. The key is only in the environment, because other users of a machine can see arguments. */
export type ExportCall = {
  readonly file: string;
  readonly url: string;
  readonly key: string;
  readonly query: HistoryQuery;
};

type Environment = Readonly<Record<string, string | undefined>>;

const TEXT = { type: 'string' } as const;

const OPTIONS = {
  out: TEXT,
  url: TEXT,
  after: TEXT,
  since: TEXT,
  until: TEXT,
  'news-id': TEXT,
  'market-id': { type: 'string', multiple: true },
  market: { type: 'string', multiple: true },
  category: TEXT,
  'source-tier': TEXT,
  relevance: TEXT,
  source: TEXT,
  'source-type': TEXT,
  author: TEXT,
  effect: TEXT,
  outcome: TEXT,
  momentum: TEXT,
  venue: TEXT,
  q: TEXT,
} as const;

/** The call, or what is wrong with it. */
export function readExportCall(
  args: readonly string[],
  { ODDSWIRE_URL, ODDSWIRE_KEY: key = '' }: Environment,
): ExportCall | { readonly failed: string } {
  const values = readOptions(args);
  if ('failed' in values) return values;
  const { out: file = '', after, since, until, url: _, ...others } = values;
  if (file === '') return { failed: 'name the file with --out' };
  if (after !== undefined && since !== undefined) return { failed: '--after and --since exclude each other' };
  const url = (values.url || ODDSWIRE_URL || 'http://localhost:8080').replace(/\/+$/, '');
  // The address is not repeated: somebody may have put a key into it.
  if (!URL.canParse(url) || !/^https?:\/\/[^/?#@]+$/.test(url))
    return { failed: '--url or ODDSWIRE_URL must be like https://api.example.com, without a path' };
  if (!/^[!-~]+$/.test(key)) return { failed: 'ODDSWIRE_KEY must be the API key' };
  const filters = Object.entries(others).map(([name, value]) => [name.replace('-', '_'), value]);
  const query: HistoryQuery = { after, since, until, ...Object.fromEntries(filters) };
  return { file, url, key, query };
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (fault) {
    // Its message can repeat an argument.
    if (fault instanceof TypeError && 'code' in fault) return { failed: faultOf(String(fault.code), args) };
    throw fault;
  }
}

/** Names an unknown option, and no value: a key does not belong there, but some try. */
function faultOf(code: string, args: readonly string[]): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'every argument needs the name of an option';
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return 'an option has no value';
  const names = args.flatMap((text) => /^--([a-z-]+)/.exec(text)?.[1] ?? []);
  const unknown = names.find((name) => !Object.hasOwn(OPTIONS, name));
  return unknown === 'key' || unknown === 'api-key'
    ? 'the key is read from ODDSWIRE_KEY only'
    : `there is no such option${unknown === undefined ? '' : `: --${unknown}`}`;
}
