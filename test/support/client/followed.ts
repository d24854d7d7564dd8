import type { FeedItem, FeedMessage, Oddswire } from '@oddswire/client';

/** The feed by id, as a program that applies messages has it. */
export type Feed = Map<string, FeedItem>;

export function apply(feed: Feed, message: FeedMessage): void {
  if (message.type === 'item') feed.set(message.item.news_event.id, message.item);
  if (message.type === 'retraction') feed.delete(message.id);
}

/** The feed as all pages together show it, with the position of the first one. */
export async function walked(client: Oddswire): Promise<{ readonly feed: Feed; readonly position: string }> {
  const feed: Feed = new Map();
  const walk = client.walk();
  for await (const item of walk) feed.set(item.news_event.id, item);
  return { feed, position: walk.position };
}

/** A program that follows the feed in the background. */
export class Follower {
  readonly feed: Feed;
  readonly messages: FeedMessage[] = [];
  /** Rejects with the error that ends the loop. */
  readonly ended: Promise<never>;
  readonly #abort = new AbortController();

  constructor(client: Oddswire, options: Parameters<Oddswire['follow']>[0] = {}, feed: Feed = new Map()) {
    this.feed = new Map(feed);
    this.ended = this.#run(client.follow({ ...options, signal: this.#abort.signal }));
    this.ended.catch(() => {});
  }

  stop(): void {
    this.#abort.abort(new Error('the test has ended'));
  }

  /** The feed in the order of ids, to compare. */
  get items(): readonly FeedItem[] {
    return sorted(this.feed);
  }

  async #run(messages: AsyncIterable<FeedMessage>): Promise<never> {
    for await (const message of messages) {
      this.messages.push(message);
      apply(this.feed, message);
    }
    throw new Error('the messages have ended');
  }
}

export const sorted = (feed: Feed): readonly FeedItem[] =>
  [...feed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
