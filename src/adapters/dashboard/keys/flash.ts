import { ownValue } from '../../../domain/own-value.js';
import { refuse } from '../../../domain/refusal.js';
import { refusalText } from '../page/refusal-text.js';

export type Flash = { readonly kind: 'good' | 'bad'; readonly text: string };

/** What a page says of what was done, or refused, just before: by a word in its address, which does nothing. */
const MESSAGES: Readonly<Record<string, Flash>> = {
  revoked: { kind: 'good', text: 'The key is revoked: requests with it get 401 from now on.' },
  key_revoked: { kind: 'bad', text: refusalText(refuse('key_revoked')) },
  no_replacement: { kind: 'bad', text: refusalText(refuse('no_replacement')) },
  changed_meanwhile: { kind: 'bad', text: refusalText(refuse('changed_meanwhile')) },
};

const OTHERWISE: Flash = { kind: 'bad', text: 'That could not be done. This is how things stand now.' };

export const flashOf = (value: string | null): Flash | null =>
  value === null ? null : (ownValue(MESSAGES, value) ?? OTHERWISE);
