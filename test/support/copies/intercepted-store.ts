import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import type { MaybePromise } from '../../../src/application/maybe-promise.js';
import type { FeedRange, FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';

/** A store that runs `before` ahead of each read, and can be made unavailable. */
export class InterceptedStore implements FeedStore {
  readonly store = new MemoryFeedStore();
  isDown = false;
  before: () => Promise<unknown> = async () => {};

  publish = (...args: Parameters<FeedStore['publish']>) => this.store.publish(...args);
  retract = (id: string) => this.store.retract(id);
  purge = (...args: Parameters<FeedStore['purge']>) => this.store.purge(...args);
  page = async (range: FeedRange) => this.#read(() => this.store.page(range));
  find = async (list: readonly string[]) => this.#read(() => this.store.find(list));
  raiseHead = (...args: Parameters<FeedStore['raiseHead']>) => this.store.raiseHead(...args);

  async #read<T>(read: () => MaybePromise<T>): Promise<T> {
    await this.before();
    if (this.isDown) throw new Unavailable('the store');
    return read();
  }
}
