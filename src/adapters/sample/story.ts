import type { StoryOutlet } from './story-outlets.js';

/** A market that stories bear on, with its sub-markets by key. All are invented. */
export type StoryMarket<Key extends string = string> = {
  readonly slug: string;
  /** In a later round: the slug of the same market in the first round. It has the same prices. */
  readonly firstSlug?: string;
  readonly title: string;
  /** The typical turnover of a sub-market in 24 hours. */
  readonly turnover: number;
  /** Each question with the price of YES in cents before the first story. */
  readonly subMarkets: Readonly<Record<Key, readonly [question: string, openingCents: number]>>;
};

export type Bucket = 'high' | 'medium' | 'low';

/** What a story means for one sub-market. */
export type StoryEffect<Key extends string = string> = {
  readonly on: Key;
  readonly outcome: 'YES' | 'NO';
  readonly relevance: Bucket;
  /** Sentences. Together they are the rationale. */
  readonly because: readonly [string, ...string[]];
} & (
  | {
      readonly effect: 'supports' | 'weakens' /** How far the price moves after the story, in cents. */;
      readonly points: number;
    }
  | { readonly effect: 'neutral' }
);

/** One related market of a story. */
export type StoryLink<Key extends string = string> = {
  readonly market: StoryMarket<Key>;
  readonly relevance: Bucket;
  readonly summary: string;
  readonly effects: readonly StoryEffect<Key>[];
};

/** A hand-written news story. A story with the id of an earlier one is a correction and replaces it. */
export type Story = {
  readonly id: string;
  readonly outlet: StoryOutlet;
  readonly author: string | null;
  readonly categories: readonly string[];
  readonly relevance: Bucket;
  readonly headline: string;
  readonly shortHeadline: string;
  readonly summary: string;
  /** The sentences of the long context. They add to the summary and do not repeat it. */
  readonly details: readonly [string, ...string[]];
  readonly markets: readonly StoryLink[];
};

/** Defines a market. The compiler checks that effects name only keys of its sub-markets. */
export const storyMarket = <Key extends string>(market: StoryMarket<Key>): StoryMarket<Key> => market;

/** Links a story to a market. */
export const bearsOn = <Key extends string>(
  market: StoryMarket<Key>,
  link: Omit<StoryLink<Key>, 'market'>,
): StoryLink => ({ market, ...link });

/** How far an effect moves the price of YES, in cents. Support of NO lowers it. */
export function moveOf(effect: StoryEffect): number {
  if (effect.effect === 'neutral') return 0;
  const raisesYes = (effect.effect === 'supports') === (effect.outcome === 'YES');
  return raisesYes ? effect.points : -effect.points;
}
