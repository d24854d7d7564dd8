import { ownValue } from '../../../domain/own-value.js';
import { refuse } from '../../../domain/refusal.js';
import { refusalWords } from '../page/refusal-words.js';

export type Flash = { readonly kind: 'good' | 'bad'; readonly words: string };

/** What a page says of what was done, or refused, just before: by a word in its address, which does nothing. */
const MESSAGES: Readonly<Record<string, Flash>> = {
  revoked: { kind: 'good', words: 'The key is revoked: requests with it get 401 from now on.' },
  key_revoked: { kind: 'bad', words: refusalWords(refuse('key_revoked')) },
  no_replacement: { kind: 'bad', words: refusalWords(refuse('no_replacement')) },
  changed_meanwhile: { kind: 'bad', words: refusalWords(refuse('changed_meanwhile')) },
};

const OTHERWISE: Flash = { kind: 'bad', words: 'That could not be done. This is how things stand now.' };

export const flashOf = (word: string | null): Flash | null =>
  word === null ? null : (ownValue(MESSAGES, word) ?? OTHERWISE);
