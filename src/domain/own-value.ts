/**
 * The value of a table under an untrusted name; undefined if there is none. Plain indexing would also find inherited
 * properties: `constructor`, `toString`, `__proto__`.
 */
export const ownValue = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
