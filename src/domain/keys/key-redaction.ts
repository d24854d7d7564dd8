/** The fewest key characters after a prefix that count as a key: an incomplete key must be redacted too. */
const SUFFIX_LEAST = 16;

/** The number of characters that are searched for keys. The rest of a longer text is dropped, to bound the work. */
const SEARCHED_MAX = 2_048;

const CUT_MARK = '…';

/** The characters of a text from position `from` up to, but not including, position `to`. */
type Span = { readonly from: number; readonly to: number };

/**
 * One character of the decoded text, and its start in the source. `run` counts the consecutive key characters that begin
 * with this one; they end in the source at `runEnd`.
 */
type Character = {
  readonly value: string;
  readonly from: number;
  readonly run: number;
  readonly runEnd: number;
};

/** The run at a cut or at a key that was found: more key characters, or the rest of an escape, may follow there. */
const OPEN = Number.POSITIVE_INFINITY;

/**
 * Finds keys, from left to right, at any number of levels of percent-encoding. The prefix matches in any letter case. If
 * `isCut`, a key at the end of the text is found even if only a few of its characters are left.
 *
 * It reads once, from right to left (T19). An escape begins with `%`, so only the last character read can complete one,
 * and everything to its right is decoded already. Each level of encoding appears on the way, so that a key is found at
 * the level at which it is readable. Decoding an escape removes two characters, so the work is linear.
 */
function keySpans(text: string, prefix: string, isCut: boolean): readonly Span[] {
  // Fast path for nearly every text: nothing is encoded, and there is no prefix.
  if (!text.includes('%') && !text.toLowerCase().includes(prefix)) return [];
  const end = { value: '', from: text.length, run: isCut ? OPEN : 0, runEnd: text.length };
  // The last character read, which is the leftmost, is at the end of the array.
  const read: Character[] = [end];
  const spans: Span[] = [];
  for (let from = text.length - 1; from >= 0; from -= 1) {
    readCharacter(read, text.charAt(from), from);
    const to = keyEnd(read, prefix);
    if (to === null) continue;
    while ((spans.at(-1)?.from ?? to) < to) spans.pop();
    spans.push({ from, to });
    while ((read.at(-1)?.from ?? to) < to) read.pop();
    // A key to the left may overlap this one, or its last escape may end in the prefix of this one.
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
  return { value, from, run: run === OPEN ? SUFFIX_LEAST : run + 1, runEnd: run === 0 ? rightFrom : runEnd };
}

/** Removes a leftmost escape of an ASCII character and returns that character; null if there is none. */
function unescaped(read: Character[]): string | null {
  if (read.at(-1)?.value !== '%') return null;
  const octet = `%${read.at(-2)?.value}${read.at(-3)?.value}`;
  if (!/^%[0-7][0-9a-f]$/i.test(octet)) return null;
  read.length -= 3;
  return decodeURIComponent(octet);
}

/** The end, in the source, of a key that begins leftmost; null if none begins there. `prefix` is in lower case. */
function keyEnd(read: readonly Character[], prefix: string): number | null {
  for (let i = 0; i < prefix.length; i += 1) {
    if (read.at(-1 - i)?.value.toLowerCase() !== prefix[i]) return null;
  }
  const suffix = read.at(-1 - prefix.length);
  return suffix !== undefined && suffix.run >= SUFFIX_LEAST ? suffix.runEnd : null;
}

/** Whether a text contains something like a key. The work is linear: the caller must bound the length of the text. */
export const holdsKey = (text: string, prefix: string): boolean =>
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
