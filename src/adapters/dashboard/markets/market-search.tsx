import { MARKETS_PATH, SUGGESTIONS_PATH } from './market-paths.js';

/** The field that finds a market. A script adds suggestions (`browser/market-suggestions.ts`). */
export const MarketSearch = ({ text }: { readonly text: string }) => (
  <form method="get" action={MARKETS_PATH} class="inline">
    <label for="market-search">Find a market</label>
    <input
      id="market-search"
      name="q"
      type="search"
      value={text}
      autocomplete="off"
      placeholder="Link, ID or words of the title"
      data-suggestions={SUGGESTIONS_PATH}
    />
    <button type="submit">Search</button>
  </form>
);
