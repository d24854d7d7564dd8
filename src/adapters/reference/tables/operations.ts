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
  /** False for a list in one text. */
  readonly explode?: boolean;
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

type Answer = { readonly status: string; readonly row: string };

const answersOf = (responses: Operation['responses']): readonly Answer[] =>
  Object.entries(responses).map(([status, { description, content = {} }]) => {
    const bodies = Object.values(content).flatMap(({ schema }) =>
      schema === undefined || nameOf(schema) === undefined ? [] : [typeText(schema)],
    );
    return { status, row: `| ${status} | ${cell([...new Set(bodies)].join(', '))} | ${cell(description)} |` };
  });

const answerTable = (answers: readonly Answer[]): string =>
  ['| status | body | meaning |', '|---|---|---|', ...answers.map(({ row }) => row)].join('\n');

const exampleOf = ({ responses }: Operation): unknown =>
  responses['200']?.content?.['application/json']?.example;

const TEXT_SHOWN = 120;

const LISTS_OF_ONE: ReadonlySet<string> = new Set(['related_markets', 'sub_markets']);

/**
 * Cuts long texts, and leaves one market and one sub-market of an item, for `JSON.stringify`. A message or a change shows only the
 * id of its item: the example of a page has a whole one.
 */
const shortened = (name: string, value: unknown): unknown => {
  if (name === 'item' && value !== null)
    return {
      news_event: { id: (value as { readonly news_event?: { readonly id?: string } }).news_event?.id },
    };
  if (Array.isArray(value) && LISTS_OF_ONE.has(name)) return value.slice(0, 1);
  return typeof value === 'string' && value.length > TEXT_SHOWN ? `${value.slice(0, TEXT_SHOWN)}…` : value;
};

function exampleText(example: unknown): string {
  const [text, full] = [JSON.stringify(example, shortened, 2), JSON.stringify(example, null, 2)];
  return `### Example${text === full ? '' : ', shortened'}\n\n\`\`\`json\n${text}\n\`\`\``;
}

/** What an earlier call of the page has with the same meaning: repeated, it would be a third of the page. */
const asBefore = (names: readonly string[]): string =>
  `With the meaning that they have above: ${names.map((name) => `\`${name}\``).join(', ')}.`;

/** Splits off what an earlier call has, and notes the rest. */
function unknownOf<One>(all: readonly One[], textOf: (one: One) => string, known: Set<string>) {
  const own = all.filter((one) => !known.has(textOf(one)));
  const others = all.filter((one) => known.has(textOf(one)));
  for (const one of own) known.add(textOf(one));
  return { own, others };
}

/** A call with its parameters, an example and its answers, as Markdown. The marker becomes a form (`try-it.tsx`). */
function entry(path: string, operation: Operation, known: Set<string>): string {
  const { operationId, summary, description, security, parameters = [], responses } = operation;
  const { own, others } = unknownOf(parameters, (parameter) => JSON.stringify(parameter), known);
  const answers = unknownOf(answersOf(responses), ({ row }) => row, known);
  return [
    `## GET ${path}`,
    `${summary} ${description}`,
    security.length === 0 ? 'It needs no key.' : 'It needs a [key](authentication.md).',
    ...(parameters.length === 0 ? [] : ['### Parameters']),
    ...(own.length === 0 ? [] : [parameterTable(own)]),
    ...(others.length === 0 ? [] : [asBefore(others.map(({ name }) => name))]),
    `<!-- try:${operationId} -->`,
    '### Answers',
    ...(answers.own.length === 0 ? [] : [answerTable(answers.own)]),
    ...(answers.others.length === 0 ? [] : [asBefore(answers.others.map(({ status }) => status))]),
    exampleText(exampleOf(operation)),
  ].join('\n\n');
}

export function operationEntries(paths: Paths): string {
  const known = new Set<string>();
  return Object.entries(paths)
    .map(([path, { get }]) => entry(path, get, known))
    .join('\n\n');
}
