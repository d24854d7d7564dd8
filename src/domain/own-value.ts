/**
 * What a table has under a name from outside; undefined where it has nothing. An index alone would find what every
 * object inherits: `constructor`, `toString`, `__proto__`.
 */
export const ownValue = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
