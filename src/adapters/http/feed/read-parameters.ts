import type { Fault } from '../../../domain/refusal.js';
import type { Parameter } from '../parameters.js';
import type { JsonSchema } from '../schema/json-schema.js';
import type { FeedParameter } from './feed-parameter.js';
import { onlyValue, sentValue } from './stream/sent-values.js';

type Table = Readonly<Record<string, FeedParameter<unknown>>>;
type ValueOf<Row> = Row extends FeedParameter<infer Value> ? Value : never;

/** The values of parameters. One that may be repeated has a list. */
export type ParameterValues<Rows extends Table> = {
  readonly [Name in keyof Rows]?: Rows[Name] extends { readonly valuesMax: number }
    ? readonly ValueOf<Rows[Name]>[]
    : ValueOf<Rows[Name]>;
};

/** Reads the parameters of a table in a query string, with all faults at once. Others are ignored (D13). */
export function readParameters<Rows extends Table>(
  rows: Rows,
  sent: readonly Parameter[],
): { readonly values: ParameterValues<Rows>; readonly faults: readonly Fault[] } {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, row] of Object.entries(rows)) {
    const read = row.valuesMax === undefined ? readOnly(name, row, sent) : readEach(name, row, sent);
    if (read === undefined) continue;
    if ('code' in read) faults.push(read);
    else values[name] = read.value;
  }
  return { values: values as ParameterValues<Rows>, faults };
}

type Read = { readonly value: unknown } | Fault | undefined;

function readOnly(name: string, row: FeedParameter<unknown>, sent: readonly Parameter[]): Read {
  const text = onlyValue(name, sent);
  return typeof text === 'string' ? readText(name, row, text) : text;
}

function readEach(name: string, row: FeedParameter<unknown>, sent: readonly Parameter[]): Read {
  const texts = sent.filter((parameter) => parameter.name === name).map(sentValue);
  if (texts.length === 0) return undefined;
  const unreadable = texts.find((text) => typeof text === 'object');
  return (
    unreadable ??
    readTexts(
      name,
      row,
      texts.filter((text) => typeof text === 'string'),
    )
  );
}

/** The values of texts, or the first fault of them. */
export function readTexts<Value>(
  name: string,
  row: FeedParameter<Value>,
  texts: readonly string[],
): { readonly value: readonly Value[] } | Fault {
  const { valuesMax = 1 } = row;
  if (texts.length > valuesMax)
    return {
      parameter: name,
      code: 'invalid_max_items',
      message: `must NOT have more than ${valuesMax} items`,
    };
  const values: Value[] = [];
  for (const text of texts) {
    const read = readText(name, row, text);
    if ('code' in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

export function readText<Value>(
  name: string,
  { read }: FeedParameter<Value>,
  text: string,
): { readonly value: Value } | Fault {
  const answer = read(text);
  return 'code' in answer ? { parameter: name, ...answer } : answer;
}

/** The schemas of a table, by the names of its parameters. */
export const schemasOf = (rows: Table): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema]));
