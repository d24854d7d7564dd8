import { ownValue } from '../../../domain/own-value.js';
import { refuse } from '../../../domain/refusal.js';
import { refusalWords } from '../page/refusal-words.js';

export type Said = { readonly kind: 'good' | 'bad'; readonly words: string };

/** What a page says of what was done, or refused, just before: by a word in its address, which does nothing. */
const SAID: Readonly<Record<string, Said>> = {
  revoked: { kind: 'good', words: 'The key is revoked: requests with it get 401 from now on.' },
  key_revoked: { kind: 'bad', words: refusalWords(refuse('key_revoked')) },
  no_replacement: { kind: 'bad', words: refusalWords(refuse('no_replacement')) },
  changed_meanwhile: { kind: 'bad', words: refusalWords(refuse('changed_meanwhile')) },
};

const OTHERWISE: Said = { kind: 'bad', words: 'That could not be done. This is how things stand now.' };

export const saidBy = (word: string | null): Said | null =>
  word === null ? null : (ownValue(SAID, word) ?? OTHERWISE);
