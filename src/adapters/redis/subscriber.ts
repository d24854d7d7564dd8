import { RedisNode } from './node.js';

type Subscription = { readonly channel: string; readonly listener: (message: string) => void };

/** The subscriptions, over a connection of their own, because a subscribed connection accepts no other commands. */
export class Subscriber {
  readonly #subscriptions: Subscription[] = [];
  #node: RedisNode | null = null;

  get node(): RedisNode | null {
    return this.#node;
  }

  /** Resolves when the subscription is active. It is renewed after each lost connection. */
  async add(subscription: Subscription, url: string): Promise<void> {
    this.#subscriptions.push(subscription);
    if (this.#node === null) await this.move(url);
    else await subscribed(this.#node, subscription);
  }

  /** Subscribes at another server. */
  async move(url: string): Promise<void> {
    this.#node?.close();
    const node = new RedisNode(url);
    this.#node = node;
    await node.open();
    await Promise.all(this.#subscriptions.map((each) => subscribed(node, each)));
  }

  close(): void {
    this.#node?.close();
  }
}

const subscribed = (node: RedisNode, { channel, listener }: Subscription): Promise<void> =>
  node.retried(() => node.connection.subscribe(channel, listener));
