/** Statements that write values. All others only compare texts with stored ones; `for update` in them only locks rows. */
const WRITES = /\binsert\s+into\b|\bupdate\s+\S+\s+set\b/i;

/**
 * The values of a statement, in a form that Postgres accepts. Postgres cannot store two kinds of text: one with U+0000,
 * which is an error, and one with a lone surrogate, which the driver would replace by U+FFFD.
 *
 * No stored text equals such a text. So a statement that only reads gets null instead, which equals nothing either, and
 * finds no row. In a statement that writes it throws a `TypeError`: texts from outside are validated before.
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
