import { ownValue } from '../../../domain/own-value.js';
import { capitalized } from '../page/state-text.js';

/** A publisher's code within a sentence: `central_banks` is `central banks`. Publishers may send any code. */
export const inlineText = (code: string): string => code.replaceAll('_', ' ');

/** A publisher's code as a label: `central_banks` is `Central banks`. */
export const codeText = (code: string): string => capitalized(inlineText(code));

/** `t1` is `Tier 1`. */
export const tierText = (tier: string): string => codeText(tier.replace(/^t(?=\d+$)/, 'Tier '));

/** The window of a limit within a sentence: `this minute`, `today`. */
export const windowText = (name: string): string => (name === 'day' ? 'today' : `this ${name}`);

const OUTCOMES: Readonly<Record<string, string>> = { YES: 'Yes', NO: 'No' };

export const outcomeText = (outcome: string): string => ownValue(OUTCOMES, outcome) ?? outcome;
