/** A source of hand-written stories. All outlets are invented. */
export type StoryOutlet = {
  readonly name: string;
  readonly domain: string;
  readonly type: 'wire' | 'rss' | 'web' | 'press_release';
  readonly tier: 't1' | 't2' | 't3';
  /** Null for outlets without a feed URL. */
  readonly feed: string | null;
  /** Whether each story has an address of its own. */
  readonly linksStories: boolean;
};

/** A market that stories bear on, with its sub-markets by key. All are invented. */
export type StoryMarket = {
  readonly slug: string;
  /** In a later round: the slug of the same market in the first round. It has the same prices. */
  readonly firstSlug?: string;
  readonly title: string;
  /** The typical turnover of a sub-market in 24 hours. */
  readonly turnover: number;
  /** Each question with the price of YES in cents before the first story. */
  readonly subMarkets: Readonly<Record<string, readonly [question: string, openingCents: number]>>;
};

export type Bucket = 'high' | 'medium' | 'low';

/** What a story means for one sub-market. */
export type StoryEffect = {
  readonly on: string;
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
export type StoryLink = {
  readonly market: StoryMarket;
  readonly relevance: Bucket;
  readonly summary: string;
  readonly effects: readonly StoryEffect[];
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

/** A story is published, or retracted by its publisher. */
export type StoryStep =
  | { readonly kind: 'publish'; readonly story: Story }
  | { readonly kind: 'retract'; readonly story: Story };

/** How far an effect moves the price of YES, in cents. Support of NO lowers it. */
export function moveOf(effect: StoryEffect): number {
  if (effect.effect === 'neutral') return 0;
  const raisesYes = (effect.effect === 'supports') === (effect.outcome === 'YES');
  return raisesYes ? effect.points : -effect.points;
}
