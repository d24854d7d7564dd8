/** What a key may read (contract section 5.6). The catalogue of the day is written on a key when it is issued (D40). */
export const SCOPES = ['events.read', 'markets.read'] as const;

export type Scope = (typeof SCOPES)[number];

/** The scope that the news feed asks for (D18). */
export const FEED_SCOPE: Scope = 'events.read';
