/** Sequences of emoji use invisible characters: to join, to show in colour, and as tags (Unicode TS 51). */
const EMOJI =
  /\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})*(?:\u200D\p{Extended_Pictographic}(?:\p{EMod}|\uFE0F)*)*/gu;
/** Stands for an emoji: it is visible. */
const STAND_IN = '*';
/** Control characters, halves of characters, and what is invisible or changes the direction of the text around it. */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Cf}]/u;
/** Not a blank, and not a character that is drawn as nothing; U+2800 is a pattern without dots. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Whether people can read one line of text as it is stored: something in it is visible, and nothing in it hides or turns the
 * rest. Such a text could look like another one, for example like the name of another key.
 */
export function isReadable(line: string): boolean {
  const plain = line.replaceAll(EMOJI, STAND_IN);
  return !UNREADABLE.test(plain) && VISIBLE.test(plain);
}

/** The rule in words, for messages. */
export const READABLE =
  'no control characters, no invisible or direction-changing ones, and at least one that is visible';
