import { ownValue } from '../../../domain/own-value.js';
import type { JsonSchema, Properties } from '../schema/json-schema.js';

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

const namesIn = (document: unknown): readonly string[] =>
  [...JSON.stringify(document).matchAll(REFERENCE)].map(([, name = '']) => name);

/**
 * Those of `schemas` that a document refers to, and those to which these refer, in alphabetical order. `published` maps
 * each schema to the form that is published.
 */
export function usedSchemas(
  schemas: Properties,
  document: unknown,
  published: (schema: JsonSchema, name: string) => JsonSchema = (schema) => schema,
): Properties {
  const used = new Map<string, JsonSchema>();
  const add = (name: string): void => {
    const source = ownValue(schemas, name);
    if (source === undefined || used.has(name)) return;
    const schema = published(source, name);
    used.set(name, schema);
    namesIn(schema).forEach(add);
  };
  namesIn(document).forEach(add);
  return Object.fromEntries([...used].sort(([one], [other]) => (one < other ? -1 : 1)));
}
