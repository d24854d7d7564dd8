import type { StoredItem } from '../stored-item.js';

/** The texts of an item whose words `q` finds: its headlines, its contexts, and the titles of its markets (D57). */
export const searchedTexts = ({
  news_event: event = {},
  related_markets: markets = [],
}: StoredItem): readonly (string | undefined)[] => [
  event.headline,
  event.short_headline,
  event.short_context,
  event.long_context,
  ...markets.flatMap(({ main_market: main, sub_markets: subs = [] }) => [
    main?.market_title,
    ...subs.map((sub) => sub.sub_market_title),
  ]),
];
