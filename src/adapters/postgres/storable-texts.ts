/**
 * Statements that write values. In all others a text is only compared with what is stored; `for update` in one of those
 * locks rows and writes nothing.
 */
const WRITES = /\binsert\s+into\b|\bupdate\s+\S+\s+set\b/i;

/**
 * The values of a statement, as Postgres can be sent them. Two kinds of text it cannot store: one with U+0000, which is
 * an error, and one with half of a surrogate pair, for which the driver would send U+FFFD, another text.
 *
 * Nothing that is stored equals such a text, so in a statement that only reads it is sent as null, which equals nothing
 * either: the statement finds what there is, nothing. In one that writes it is a fault: texts from outside are checked
 * by the rules before they are stored.
 */
export function storableValues(sql: string, values: readonly unknown[]): readonly unknown[] {
  if (values.every(isStorable)) return values;
  if (WRITES.test(sql))
    throw new TypeError('a text has U+0000 or half a character, which Postgres cannot store');
  return values.map(orNull);
}

const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.includes('\0') && !/\p{Cs}/u.test(value)
    : !Array.isArray(value) || value.every(isStorable);

const orNull = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(orNull) : isStorable(value) ? value : null;
