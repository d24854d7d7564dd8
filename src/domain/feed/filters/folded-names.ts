import { wordListOf } from './text-words.js';

/** A name in the form in which names are compared: its words, joined by `-`. Empty if it has no word. */
export const foldedName = (name: string): string => wordListOf(name).join('-');

/**
 * The values of a name of an item. A parameter is split at commas before its parts are folded, so the parts are values; the
 * whole name is one too, so that a name with a comma is found as `doe-jane`.
 */
export function foldedNames(name: string): readonly string[] {
  const folded = [name, ...name.split(',')].map(foldedName);
  return [...new Set(folded)].filter((each) => each !== '');
}
