// Keeps the whole feed in memory, and prints each change.
// Run it: node follow.ts
import { type FeedItem, Oddswire, OddswireError } from '@oddswire/client';

const { ODDSWIRE_URL: url = 'http://localhost:8080', ODDSWIRE_KEY: key } = process.env;
const oddswire = new Oddswire({ url, key });
const feed = new Map<string, FeedItem>();

for (;;) {
  const walk = oddswire.walk();
  feed.clear();
  for await (const item of walk) feed.set(item.news_event.id, item);
  console.log(`${feed.size} items`);
  try {
    for await (const message of oddswire.follow({ after: walk.position })) {
      if (message.type === 'item') {
        const { id, headline } = message.item.news_event;
        feed.set(id, message.item);
        console.log(`+ ${id}: ${headline}`);
      }
      if (message.type === 'retraction' && feed.delete(message.id)) console.log(`- ${message.id}`);
    }
  } catch (error) {
    // The changes after the position are gone: walk again. Every other error needs a person.
    if (!(error instanceof OddswireError && error.code === 'position_expired')) throw error;
  }
}
