/** The data that a key may read (contract section 5.6). A new key gets all scopes that exist at that time (D40). */
export const SCOPES = ['events.read', 'markets.read'] as const;

export type Scope = (typeof SCOPES)[number];

/** The scope that the news feed requires (D18). */
export const FEED_SCOPE: Scope = 'events.read';
