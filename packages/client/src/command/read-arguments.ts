import { type ParseArgsConfig, parseArgs } from 'node:util';

export type Flags = NonNullable<ParseArgsConfig['options']>;

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

export type Failed = { readonly failed: string };

export type Arguments = { readonly values: Values; readonly positionals: readonly string[] };

export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;

/** The filters of the API, as flags. */
export const FILTER_FLAGS = {
  market: TEXTS,
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

/** The values of the flags, or what is wrong with them. `--source_tier`, as in the API, means `--source-tier`. */
export function readArguments(
  args: readonly string[],
  options: Flags,
  hasPositionals = false,
): Arguments | Failed {
  const dashed = args.map((text) => text.replace(/^--[a-z_-]+/, (name) => name.replaceAll('_', '-')));
  try {
    const { values, positionals } = parseArgs({ args: dashed, options, allowPositionals: hasPositionals });
    return { values, positionals };
  } catch (fault) {
    // Its message can repeat an argument.
    if (fault instanceof TypeError && 'code' in fault)
      return { failed: faultOf(String(fault.code), dashed, options) };
    throw fault;
  }
}

/** Names an unknown option, and no value: a key does not belong there, but some try. */
function faultOf(code: string, args: readonly string[], options: Flags): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'every argument needs the name of an option';
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return 'an option has no value, or one too many';
  const names = args.flatMap((text) => /^--([a-z-]+)/.exec(text)?.[1] ?? []);
  const unknown = names.find((name) => !Object.hasOwn(options, name));
  return unknown === 'key' || unknown === 'api-key'
    ? 'the key is read from ODDSWIRE_KEY only'
    : `there is no such option${unknown === undefined ? '' : `: --${unknown}`}`;
}

/** The parameters of the API, of these flags: `--source-tier` is `source_tier`. */
export const queryOf = (values: Values, flags: Flags): Readonly<Record<string, string | readonly string[]>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      Object.hasOwn(flags, name) && value !== undefined
        ? [[name.replaceAll('-', '_'), value as string | readonly string[]]]
        : [],
    ),
  );
