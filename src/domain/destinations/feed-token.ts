/** The token of a feed: the form of a key, so that the same rule redacts it (D19, D67). `suffix`: 32 random bytes. */
export const feedToken = (suffix: string): string => `feed_${suffix}`;

/** Who has this address can read the feed. */
export const feedPath = (token: string): string => `/feeds/${token}.atom`;
