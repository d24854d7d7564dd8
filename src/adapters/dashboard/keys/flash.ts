import { ownValue } from '../../../domain/own-value.js';
import { refuse } from '../../../domain/refusal.js';
import { refusalText } from '../page/refusal-text.js';

export type Flash = { readonly kind: 'good' | 'bad'; readonly text: string };

/** Messages about the action just taken or refused, by the code in the address of the page. */
const MESSAGES: Readonly<Record<string, Flash>> = {
  revoked: { kind: 'good', text: 'The key is revoked. Requests with it now return 401.' },
  sandbox_deleted: {
    kind: 'good',
    text: 'The sandbox key is deleted. Requests with it return 401 within seconds.',
  },
  saved: { kind: 'good', text: 'Saved. The settings are in force within seconds, on open streams too.' },
  key_revoked: { kind: 'bad', text: refusalText(refuse('key_revoked')) },
  no_replacement: { kind: 'bad', text: refusalText(refuse('no_replacement')) },
  changed_meanwhile: { kind: 'bad', text: refusalText(refuse('changed_meanwhile')) },
};

const UNKNOWN: Flash = {
  kind: 'bad',
  text: 'The action could not be completed. Check the current state on this page, then try again.',
};

export const flashOf = (value: string | null): Flash | null =>
  value === null ? null : (ownValue(MESSAGES, value) ?? UNKNOWN);
