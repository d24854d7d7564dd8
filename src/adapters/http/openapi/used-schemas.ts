import { ownValue } from '../../../domain/own-value.js';
import { schemas } from '../schema/components.js';
import type { JsonSchema, Properties } from '../schema/json-schema.js';

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

const namesIn = (document: unknown): readonly string[] =>
  [...JSON.stringify(document).matchAll(REFERENCE)].map(([, name = '']) => name);

/** The schemas that a document refers to, and those to which these refer, in alphabetical order. */
export function usedSchemas(document: JsonSchema): Properties {
  const used = new Map<string, JsonSchema>();
  const add = (name: string): void => {
    const schema = ownValue(schemas, name);
    if (schema === undefined || used.has(name)) return;
    used.set(name, schema);
    namesIn(schema).forEach(add);
  };
  namesIn(document).forEach(add);
  return Object.fromEntries([...used].sort(([one], [other]) => (one < other ? -1 : 1)));
}
