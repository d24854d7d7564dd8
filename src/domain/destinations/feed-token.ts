import { keyFormat } from '../keys/key-value.js';

/** The token of a feed has the form of a key (D67). */
const FORMAT = keyFormat('feed_');

/** `suffix`: 32 random bytes. */
export const feedToken = (suffix: string): string => FORMAT.compose(suffix);

export const isFeedToken = (text: string): boolean => FORMAT.recognise(text) !== undefined;

/** Redacts tokens as keys are (D19). */
export const withoutFeedTokens = (text: string): string => FORMAT.redact(text);

/** Who has this address can read the feed. */
export const feedPath = (token: string): string => `/feeds/${token}.atom`;
