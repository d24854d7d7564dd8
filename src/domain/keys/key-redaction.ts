/** Key characters after a prefix from which on a text counts as a key: a key with some missing must not be readable either. */
const SUFFIX_LEAST = 16;

/** Characters of a text that are searched for keys. The rest of a longer text is dropped, so that the work is bounded. */
const SEARCHED_MAX = 2_048;

const CUT_MARK = '…';

/** The part of a text from position `from` up to, but not including, position `to`. */
type Span = { readonly from: number; readonly to: number };

/**
 * One character of the decoded text, and where it begins in the source. `run` counts the key characters from here to the
 * right; they end in the source at `runEnd`.
 */
type Character = {
  readonly value: string;
  readonly from: number;
  readonly run: number;
  readonly runEnd: number;
};

/** The run before a cut or a key that was found: there may be more key characters, or the rest of an escape. */
const OPEN = Number.POSITIVE_INFINITY;

/**
 * Finds keys, from left to right, also where characters are percent-encoded, however often. The prefix counts in any
 * letter case. `isCut`: a key that the end of the text cuts off is found too, however little of it is left.
 *
 * One pass from right to left (T19): an escape begins with `%`, so only the character that was read last can complete
 * one, and everything to its right is decoded already. Every level of encoding passes by on the way, so that a key is
 * found at whichever level it is readable. Undoing an escape removes two characters, so the work is linear.
 */
function keySpans(text: string, prefix: string, isCut: boolean): readonly Span[] {
  // Nearly every text: nothing is encoded, and there is no prefix.
  if (!text.includes('%') && !text.toLowerCase().includes(prefix)) return [];
  const end = { value: '', from: text.length, run: isCut ? OPEN : 0, runEnd: text.length };
  // The character that was read last, the leftmost, is at the end of the array.
  const read: Character[] = [end];
  const spans: Span[] = [];
  for (let from = text.length - 1; from >= 0; from -= 1) {
    readCharacter(read, text.charAt(from), from);
    const to = keyEnd(read, prefix);
    if (to === null) continue;
    while ((spans.at(-1)?.from ?? to) < to) spans.pop();
    spans.push({ from, to });
    while ((read.at(-1)?.from ?? to) < to) read.pop();
    // A key to the left may run on into this one, or have its last escape end in this one's prefix.
    read.push({ value: '', from, run: OPEN, runEnd: to });
  }
  return spans.reverse();
}

/** Adds a character to the left of those that were read, and undoes the escapes that it completes. */
function readCharacter(read: Character[], source: string, from: number): void {
  for (let value: string | null = source; value !== null; value = unescaped(read)) {
    read.push(characterBefore(read.at(-1), value, from));
  }
}

function characterBefore(right: Character | undefined, value: string, from: number): Character {
  const { run, runEnd, from: rightFrom } = right ?? { run: 0, runEnd: from, from };
  if (run === OPEN && /^[%0-9a-f]$/i.test(value)) return { value, from, run, runEnd };
  if (!/^[A-Za-z0-9_-]$/.test(value)) return { value, from, run: 0, runEnd: from };
  return { value, from, run: run === OPEN ? SUFFIX_LEAST : run + 1, runEnd: run === 0 ? rightFrom : runEnd };
}

/** Takes away an escape of an ASCII character that stands leftmost, and answers that character. */
function unescaped(read: Character[]): string | null {
  if (read.at(-1)?.value !== '%') return null;
  const octet = `%${read.at(-2)?.value}${read.at(-3)?.value}`;
  if (!/^%[0-7][0-9a-f]$/i.test(octet)) return null;
  read.length -= 3;
  return decodeURIComponent(octet);
}

/** Where the key that begins leftmost ends in the source; null where none begins there. `prefix` is in lower case. */
function keyEnd(read: readonly Character[], prefix: string): number | null {
  for (let i = 0; i < prefix.length; i += 1) {
    if (read.at(-1 - i)?.value.toLowerCase() !== prefix[i]) return null;
  }
  const suffix = read.at(-1 - prefix.length);
  return suffix !== undefined && suffix.run >= SUFFIX_LEAST ? suffix.runEnd : null;
}

/** Whether something in a text looks like a key. The work grows with the text: its length must be bounded before. */
export const holdsKey = (text: string, prefix: string): boolean =>
  keySpans(text, prefix.toLowerCase(), false).length > 0;

/** The text with each key cut to its prefix; one without a key stays as it is. What is too long is cut off visibly. */
export function withoutKeys(text: string, prefix: string): string {
  const isCut = text.length > SEARCHED_MAX;
  const searched = isCut ? text.slice(0, SEARCHED_MAX) : text;
  let written = '';
  let rest = 0;
  for (const { from, to } of keySpans(searched, prefix.toLowerCase(), isCut)) {
    written += `${searched.slice(rest, from)}${prefix}[redacted]`;
    rest = to;
  }
  const whole = written + searched.slice(rest);
  return isCut ? whole.replace(/[\uD800-\uDBFF]$/, '') + CUT_MARK : whole;
}
