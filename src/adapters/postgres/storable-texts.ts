/**
 * Statements that write values. All other statements only compare values with stored ones. In these, `for update` only
 * locks rows.
 */
const WRITES = /\binsert\s+into\b|\bupdate\s+\S+\s+set\b/i;

/**
 * The values of a statement, in a form that Postgres accepts. Postgres cannot store two kinds of text: one with U+0000,
 * which is an error, and one with a lone surrogate, which the driver would replace by U+FFFD.
 *
 * No stored text is equal to such a text. A statement that only reads therefore gets null instead, which is not equal
 * to any value, and finds no row. For a statement that writes, the function throws a `TypeError`: this is a bug,
 * because texts from outside are validated before.
 */
export function storableValues(sql: string, values: readonly unknown[]): readonly unknown[] {
  if (values.every(isStorable)) return values;
  if (WRITES.test(sql))
    throw new TypeError('a text contains U+0000 or a lone surrogate, which Postgres cannot store');
  return values.map(orNull);
}

const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.includes('\0') && !/\p{Cs}/u.test(value)
    : !Array.isArray(value) || value.every(isStorable);

const orNull = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(orNull) : isStorable(value) ? value : null;
