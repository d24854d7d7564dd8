import { cell, nameOf, rangeText, type Schema, typeText } from './schema-text.js';

/** An operation of the OpenAPI document, as far as the documentation reads it. */
export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
};
type Response = {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
};
export type Paths = Readonly<Record<string, { readonly get: Operation }>>;

const parameterTable = (parameters: readonly Parameter[]): string =>
  [
    '| parameter | type | meaning |',
    '|---|---|---|',
    ...parameters.map(({ name, in: where, schema, description }) => {
      const kind = [typeText(schema), rangeText(schema), where === 'header' ? 'header' : '']
        .filter((text) => text !== '')
        .join(', ');
      return `| \`${name}\` | ${cell(kind)} | ${cell(description)} |`;
    }),
  ].join('\n');

const responseTable = (responses: Operation['responses']): string =>
  [
    '| status | body | meaning |',
    '|---|---|---|',
    ...Object.entries(responses).map(([status, { description, content = {} }]) => {
      const bodies = Object.values(content).flatMap(({ schema }) =>
        schema === undefined || nameOf(schema) === undefined ? [] : [typeText(schema)],
      );
      return `| ${status} | ${cell([...new Set(bodies)].join(', '))} | ${cell(description)} |`;
    }),
  ].join('\n');

const exampleOf = ({ responses }: Operation): unknown =>
  responses['200']?.content?.['application/json']?.example;

const TEXT_SHOWN = 120;

const LISTS_OF_ONE: ReadonlySet<string> = new Set(['related_markets', 'sub_markets']);

/** Cuts long texts, and leaves one market and one sub-market of an item, for `JSON.stringify`. */
const shortened = (name: string, value: unknown): unknown => {
  if (Array.isArray(value) && LISTS_OF_ONE.has(name)) return value.slice(0, 1);
  return typeof value === 'string' && value.length > TEXT_SHOWN ? `${value.slice(0, TEXT_SHOWN)}…` : value;
};

function exampleText(example: unknown): string {
  const [text, full] = [JSON.stringify(example, shortened, 2), JSON.stringify(example, null, 2)];
  return `### Example${text === full ? '' : ', shortened'}\n\n\`\`\`json\n${text}\n\`\`\``;
}

/** A call with its parameters, an example and its answers, as Markdown. The marker becomes a form (`try-it.tsx`). */
function entry(path: string, operation: Operation): string {
  const { operationId, summary, description, security, parameters = [], responses } = operation;
  return [
    `## GET ${path}`,
    `${summary} ${description}`,
    security.length === 0 ? 'It needs no key.' : 'It needs a [key](authentication.md).',
    ...(parameters.length === 0 ? [] : ['### Parameters', parameterTable(parameters)]),
    `<!-- try:${operationId} -->`,
    '### Answers',
    responseTable(responses),
    exampleText(exampleOf(operation)),
  ].join('\n\n');
}

export const operationEntries = (paths: Paths): string =>
  Object.entries(paths)
    .map(([path, { get }]) => entry(path, get))
    .join('\n\n');
