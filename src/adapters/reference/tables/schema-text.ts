import { ownValue } from '../../../domain/own-value.js';

/** A JSON Schema of the OpenAPI document, as far as the documentation reads it. */
export type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  /** The known codes of an open list. */
  readonly 'x-extensible-enum'?: readonly string[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
};

export const nameOf = ({ $ref = '' }: Schema): string | undefined => $ref.split('/').at(-1) || undefined;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'time',
  uri: 'URL',
  moment: 'time',
  position: 'position',
};

/** A longer list of known codes is no cell of a table: a chapter has it. */
const KNOWN_MAX = 12;

const joined = (values: readonly unknown[]): string =>
  values.map((value) => (value === null ? 'null' : `\`${value}\``)).join(', ');

/** The schemas of which a value has one; undefined for other schemas. */
export const choicesOf = ({ oneOf, anyOf }: Schema): readonly Schema[] | undefined => oneOf ?? anyOf;

/** The type of a value for people: `time or null`, `array of FeedItem`, `` `up`, `down` ``. */
export function typeText(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return `[${name}](fields.md#${name.toLowerCase()})`;
  if (schema.const !== undefined) return joined([schema.const]);
  if (schema.enum !== undefined) return joined(schema.enum);
  const known = schema['x-extensible-enum'];
  if (known !== undefined && known.length <= KNOWN_MAX) return `${joined(known)} or another code`;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.map(typeText).join(' or ');
  if (schema.items !== undefined) return `array of ${typeText(schema.items)}`;
  const types = [schema.type ?? []].flat();
  return types.map((type) => (type === 'string' ? formatText(schema) : type)).join(' or ');
}

const formatText = ({ format = '' }: Schema): string => ownValue(FORMATS, format) ?? 'string';

/** The range and the default of a number: `1 to 500, default 50`. */
export const rangeText = ({ minimum, maximum, default: value }: Schema): string =>
  [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    value === undefined ? '' : `default ${value}`,
  ]
    .filter((text) => text !== '')
    .join(', ');

/** The text of a cell in a Markdown table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
