/** A prefix and at least this many key characters count as a key, because an incomplete key must be redacted too. */
const SUFFIX_MIN = 16;

/** The number of characters that are searched for keys. The rest of a longer text is dropped, to bound the work. */
const SEARCHED_MAX = 2_048;

const CUT_MARK = '…';

/** The characters of a text from position `from` up to, but not including, position `to`. */
type Span = { readonly from: number; readonly to: number };

/**
 * One character of the decoded text. `from` is its start in the source. `run` is the number of consecutive key
 * characters from this one on; `runEnd` is their end in the source.
 */
type Character = {
  readonly value: string;
  readonly from: number;
  readonly run: number;
  readonly runEnd: number;
};

/**
 * The value of `run` where the next characters are unknown: at the end of a cut text, and at a key that was found. More
 * key characters or the rest of an escape may follow.
 */
const OPEN = Number.POSITIVE_INFINITY;

/**
 * Finds keys, from left to right, at any number of levels of percent-encoding. The prefix matches in any letter case.
 * If `isCut`, a key at the end of the text is found even if only a few of its characters are left.
 *
 * The loop reads the text once, from right to left (T19). An escape begins with `%`. Therefore only the character that
 * was read last can complete an escape, and all characters to the right of it are already decoded. A decoded character
 * can complete another escape, so that the loop sees every level of encoding. Each decoded escape removes two
 * characters, so the work is linear.
 */
function keySpans(text: string, prefix: string, isCut: boolean): readonly Span[] {
  // Fast path for nearly every text: nothing is encoded, and there is no prefix.
  if (!text.includes('%') && !text.toLowerCase().includes(prefix)) return [];
  const end = { value: '', from: text.length, run: isCut ? OPEN : 0, runEnd: text.length };
  // The array is in the order of reading: its last entry is the leftmost character.
  const read: Character[] = [end];
  const spans: Span[] = [];
  for (let from = text.length - 1; from >= 0; from -= 1) {
    readCharacter(read, text.charAt(from), from);
    const to = keyEnd(read, prefix);
    if (to === null) continue;
    while ((spans.at(-1)?.from ?? to) < to) spans.pop();
    spans.push({ from, to });
    while ((read.at(-1)?.from ?? to) < to) read.pop();
    // A key further left may overlap this key, or may end with an escape whose last digits are in the prefix of this
    // key.
    read.push({ value: '', from, run: OPEN, runEnd: to });
  }
  return spans.reverse();
}

/** Adds a character to the left of those already read, and decodes the escapes that it completes. */
function readCharacter(read: Character[], source: string, from: number): void {
  for (let value: string | null = source; value !== null; value = unescaped(read)) {
    read.push(characterBefore(read.at(-1), value, from));
  }
}

function characterBefore(right: Character | undefined, value: string, from: number): Character {
  const { run, runEnd, from: rightFrom } = right ?? { run: 0, runEnd: from, from };
  if (run === OPEN && /^[%0-9a-f]$/i.test(value)) return { value, from, run, runEnd };
  if (!/^[A-Za-z0-9_-]$/.test(value)) return { value, from, run: 0, runEnd: from };
  return { value, from, run: run === OPEN ? SUFFIX_MIN : run + 1, runEnd: run === 0 ? rightFrom : runEnd };
}

/**
 * If the text read so far begins with an escape of an ASCII character, removes the escape and returns the character;
 * else null.
 */
function unescaped(read: Character[]): string | null {
  if (read.at(-1)?.value !== '%') return null;
  const octet = `%${read.at(-2)?.value}${read.at(-3)?.value}`;
  if (!/^%[0-7][0-9a-f]$/i.test(octet)) return null;
  read.length -= 3;
  return decodeURIComponent(octet);
}

/**
 * If the text read so far begins with a key, the end of that key in the source; else null. `prefix` is in lower case.
 */
function keyEnd(read: readonly Character[], prefix: string): number | null {
  for (let i = 0; i < prefix.length; i += 1) {
    if (read.at(-1 - i)?.value.toLowerCase() !== prefix[i]) return null;
  }
  const suffix = read.at(-1 - prefix.length);
  return suffix !== undefined && suffix.run >= SUFFIX_MIN ? suffix.runEnd : null;
}

/** Whether a text contains something like a key. The work is linear: the caller must bound the length of the text. */
export const containsKey = (text: string, prefix: string): boolean =>
  keySpans(text, prefix.toLowerCase(), false).length > 0;

/** The text with each key cut to its prefix. A text over `SEARCHED_MAX` characters is cut, and `…` marks the cut. */
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
