// Prints a line for each news event that concerns one market, as soon as it is published.
// Run it: node alert.ts sm-halvex-strait-midsummer
import { Oddswire } from '@oddswire/client';

const { ODDSWIRE_URL: url = 'http://localhost:8080', ODDSWIRE_KEY: key } = process.env;
const [, , market = ''] = process.argv;

console.log(`waiting for news on ${market}`);
// The last hour first, and then each item as it is published.
const since = new Date(Date.now() - 3_600_000);
for await (const message of new Oddswire({ url, key }).follow({ market_id: market, since })) {
  // A publisher can also add older items (backfill). They are no news.
  if (message.type !== 'item' || new Date(message.scored_at) < since) continue;
  const { news_event, related_markets } = message.item;
  // Only the market that was asked for is in the item.
  for (const { news_effect, market_snapshot } of related_markets.flatMap(({ sub_markets }) => sub_markets)) {
    const { effect, affected_outcome, relevance_bucket } = news_effect;
    const price = Math.round(100 * market_snapshot.yes_ask);
    console.log(
      `${news_event.headline} (${effect} ${affected_outcome}, ${relevance_bucket}; YES costs ${price}¢)`,
    );
  }
}
