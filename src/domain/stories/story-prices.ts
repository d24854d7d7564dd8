import { SeededRandom } from './seeded-random.js';
import { moveOf, type Story, type StoryMarket } from './story.js';

/** The price of a sub-market at the time of an item. */
export type Quote = {
  readonly cents: number;
  /** The move since the previous item with this sub-market, or since the first price. */
  readonly move: number;
  readonly turnover24h: number;
  readonly totalTurnover: number;
};

type PriceState = {
  /** The price after all moves of the published stories. */
  settled: number;
  /** How far the price is from `settled` without a reason in the news. */
  drift: number;
  shown: number;
  totalTurnover: number;
  readonly random: SeededRandom;
};

const LEAST = 2;
const MOST = 98;
/** The part of the move after a story that has already happened when the story is scored, at most 3 cents. */
const EARLY = 0.25;
const EARLY_MAX = 3;

/**
 * The prices of the markets of the hand-written stories. Each story moves the prices in the direction of its effects, so
 * that the next item with the same market shows that move. A correction or a retraction undoes the moves of the story.
 */
export class StoryPrices {
  readonly #states = new Map<string, PriceState>();
  readonly #moves = new Map<string, readonly (readonly [PriceState, move: number])[]>();

  /** The quotes of a new story, in the order of its effects. Replaces the moves of its earlier version. */
  publish(story: Story): readonly Quote[] {
    this.retract(story.id);
    const moves: [PriceState, number][] = [];
    const quotes = story.markets.flatMap(({ market, effects }) =>
      effects.map((effect) => {
        const state = this.#state(market, effect.on);
        const before = state.settled;
        const after = within(before + moveOf(effect), LEAST, MOST);
        state.drift = state.random.whole(-1, 1);
        const quote = quoteAt(
          state,
          market,
          before + within((after - before) * EARLY, -EARLY_MAX, EARLY_MAX),
        );
        state.settled = after;
        moves.push([state, after - before]);
        return quote;
      }),
    );
    this.#moves.set(story.id, moves);
    return quotes;
  }

  /** Undoes the moves of a story. */
  retract(storyId: string): void {
    for (const [state, move] of this.#moves.get(storyId) ?? []) state.settled -= move;
    this.#moves.delete(storyId);
  }

  #state(market: StoryMarket, subMarket: string): PriceState {
    const name = `${market.slug}/${subMarket}`;
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const opening = market.subMarkets[subMarket]?.[1];
    if (opening === undefined) throw new Error(`${market.slug} has no sub-market ${subMarket}`);
    const random = SeededRandom.of(`${market.firstSlug ?? market.slug}/${subMarket}`);
    const totalTurnover = market.turnover * random.whole(20, 60);
    const state = { settled: opening, drift: 0, shown: opening, totalTurnover, random };
    this.#states.set(name, state);
    return state;
  }
}

function quoteAt(state: PriceState, { turnover }: StoryMarket, price: number): Quote {
  const cents = within(Math.round(price + state.drift), LEAST, MOST);
  const move = cents - state.shown;
  state.shown = cents;
  const turnover24h = Math.round(turnover * (60 + state.random.whole(0, 80) + 8 * Math.abs(move))) / 100;
  state.totalTurnover = Math.round((state.totalTurnover + turnover24h / 5) * 100) / 100;
  return { cents, move, turnover24h, totalTurnover: state.totalTurnover };
}

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
