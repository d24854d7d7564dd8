import type { Stored } from '../../domain/feed/stored-item.js';
import { isWebLink } from '../../domain/feed/web-link.js';

/** Characters that are drawn as nothing, that turn the text around them, and that XML 1.0 forbids. Emoji keep their colour. */
const INVISIBLE = /[\p{Cf}\p{Cs}\uFFFE\uFFFF]|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu;
const BLANKS = /[\s\p{Cc}]+/gu;

/** A text of a publisher as one line that hides nothing. Its markup is not escaped. */
export const oneLine = (text: Stored<string> | null | undefined): string =>
  (text ?? '').replace(INVISIBLE, '').replace(BLANKS, ' ').trim();

/** The beginning of a text, with `…` if it is longer. `written` is how a character is written; its length counts. */
export function clipped(
  text: string,
  lengthMax: number,
  written: (character: string) => string = (character) => character,
): string {
  let beginning = '';
  let isCut = false;
  let whole = '';
  for (const character of text) {
    whole += written(character);
    isCut ||= whole.length > lengthMax - 1;
    if (!isCut) beginning = whole;
    if (whole.length > lengthMax) return `${beginning.trimEnd()}…`;
  }
  return whole;
}

/** A link of a publisher, or null if it is none that readers can follow without care, or longer than this. */
export const linkOf = (url: string | null | undefined, lengthMax: number): string | null =>
  url != null && url.length <= lengthMax && isWebLink(url) ? url : null;
