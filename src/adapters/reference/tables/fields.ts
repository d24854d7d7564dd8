import { cell, choicesOf, type Schema, typeText } from './schema-text.js';

/** The schemas in the order in which a reader meets them; the others follow in alphabetical order. */
const FIRST = [
  ...['FeedPage', 'FeedItem', 'NewsEvent', 'RelatedMarket', 'MainMarket', 'SubMarket', 'Outcome'],
  ...['NewsEffect', 'MarketSnapshot', 'Momentum', 'Meta', 'Problem', 'Fault'],
];

type Field = { readonly path: string; readonly schema: Schema };

/** The fields of an object; those of an object inside it have its name in front. */
const fieldsOf = ({ properties = {} }: Schema, under = ''): readonly Field[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${under}${name}`;
    return [{ path, schema }, ...fieldsOf(schema, `${path}.`), ...fieldsOf(schema.items ?? {}, `${path}[].`)];
  });

const table = (schema: Schema): string =>
  [
    '| field | type | meaning |',
    '|---|---|---|',
    ...fieldsOf(schema).map(
      ({ path, schema: field }) =>
        `| \`${path}\` | ${cell(typeText(field))} | ${cell(field.description ?? '')} |`,
    ),
  ].join('\n');

/** The name of a schema, its description if it has one, and its fields, as Markdown. */
const entry = (name: string, schema: Schema): string =>
  [`## ${name}`, schema.description ?? '', content(schema)].filter((text) => text !== '').join('\n\n');

function content(schema: Schema): string {
  const choices = choicesOf(schema);
  return choices === undefined ? table(schema) : `One of ${choices.map(typeText).join(', ')}.`;
}

export function fieldEntries(schemas: Readonly<Record<string, Schema>>): string {
  const others = Object.keys(schemas).filter((name) => !FIRST.includes(name));
  return [...FIRST, ...others]
    .flatMap((name) => {
      const schema = schemas[name];
      return schema === undefined ? [] : [entry(name, schema)];
    })
    .join('\n\n');
}
