import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { ChangeFollower } from '../../../../src/adapters/caching/change-follower.js';
import { FeedCopy } from '../../../../src/adapters/caching/feed/feed-copy.js';
import { hotPages } from '../../../../src/adapters/caching/feed/hot-pages.js';
import { storedPages } from '../../../../src/adapters/caching/feed/stored-pages.js';
import { MemoryAccounts } from '../../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryChangeLogs } from '../../../../src/adapters/memory/memory-change-logs.js';
import type { ChangeLogs } from '../../../../src/application/ports/change-logs.js';
import type { FeedPageSnapshot, FeedRange } from '../../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { AMONG_OTHERS, NEVER_PAUSED } from '../../../support/copies/followed-feed.js';
import { InterceptedStore } from '../../../support/copies/intercepted-store.js';
import { runs } from '../../../support/objects/builders.js';
import { at, EVERYTHING, item } from '../../../support/objects/listed-items.js';

const RANGES = {
  newest: { ...EVERYTHING, count: 2 },
  'the newest one': { ...EVERYTHING, count: 1 },
  'below a cursor': { ...EVERYTHING, before: at(3), count: 1 },
  // The copy has two items.
  'of the store': { ...EVERYTHING, before: at(2), count: 5 },
};
type Asked = keyof typeof RANGES;

/** What happens between two requests. Time passes: copies are outdated after 1.5 s. */
const ACTIONS = ['publish', 'logs fail', 'logs answer', 'read', 'wait 0.6 s', 'wait 2 s'] as const;
type Action =
  | (typeof ACTIONS)[number]
  | 'logs take 30 ms'
  | 'logs are slow'
  | 'begin a read'
  | 'the read ends'
  | Asked;
/** More than a page without a cursor waits. */
const SLOW_MS = 150;

class Instance {
  readonly store = new InterceptedStore();
  #ms = 0;
  /** No two calls have the same time. */
  readonly #now = () => {
    this.#ms += 0.001;
    return this.#ms;
  };
  #areLogsDown = false;
  #logsMs = 0;
  readonly #logs = new MemoryChangeLogs(new MemoryAccounts(), this.store.store);
  readonly #read = async <T>(read: () => Promise<T>): Promise<T> => {
    if (this.#areLogsDown) throw new Unavailable('the logs');
    const answer = await read();
    if (this.#logsMs > 0) await setTimeout(this.#logsMs);
    return answer;
  };
  readonly #copy = new FeedCopy(this.store, this.store, { max: 2, readNow: () => this.#follower.readNow() });
  readonly #follower = new ChangeFollower({
    logs: {
      newest: () => this.#read(() => this.#logs.newest()),
      readAfter: (positions) => this.#read(() => this.#logs.readAfter(positions)),
    } satisfies ChangeLogs,
    now: this.#now,
    pauses: NEVER_PAUSED,
    isStoreAway: () => false,
    onOlderState: () => {},
    report: () => {},
  });
  readonly #pages = hotPages(
    storedPages({ page: (range) => this.#fromStore(range) }, this.#copy, this.#follower),
    this.#copy,
    this.#follower,
    { ...AMONG_OTHERS, now: this.#now },
  );
  #published = 0;

  /** Only pages in memory have a version. */
  async #fromStore(range: FeedRange): Promise<FeedPageSnapshot> {
    return { ...(await this.store.page(range)), version: null };
  }

  async start(): Promise<void> {
    this.#follower.keep({
      apply: ({ feed }) => this.#copy.apply(feed),
      rebuild: (position) => this.#copy.rebuild(position),
    });
    for (let i = 0; i < 3; i += 1) await this.publish();
    await this.#follower.start();
    await this.#follower.readNow();
    await this.#copy.updated();
    // No read of the logs is under way any more.
    await setTimeout(1);
  }

  close = () => this.#follower.close();

  /** Through another instance, and the message to this one is lost. */
  async publish(): Promise<void> {
    this.#published += 1;
    await this.store.publish([item(`n-${this.#published}`, this.#published)], 'live');
  }

  async do(action: Exclude<Action, Asked>): Promise<void> {
    if (action === 'publish') await this.publish();
    else if (action === 'read') await this.#follower.readNow().catch(() => {});
    else if (action === 'wait 0.6 s') this.#ms += 600;
    else if (action === 'wait 2 s') this.#ms += 2_000;
    else if (action === 'begin a read') this.#follower.readSoon();
    else if (action === 'the read ends') await setTimeout(2 * SLOW_MS);
    else if (action === 'logs take 30 ms') this.#logsMs = 30;
    else if (action === 'logs are slow') this.#logsMs = SLOW_MS;
    else this.#areLogsDown = action === 'logs fail';
  }

  ask = async (asked: Asked) => {
    const { head, position } = await this.#pages.page(RANGES[asked]);
    return { head: head ?? '', n: position.n };
  };
}

describe('The pages of an instance, one after the other,', () => {
  const check = async (actions: readonly Action[]) => {
    const instance = new Instance();
    await instance.start();
    try {
      let before = { head: '', n: 0 };
      for (const action of actions) {
        if (!(action in RANGES)) {
          await instance.do(action as Exclude<Action, Asked>);
          continue;
        }
        const page = await instance.ask(action as Asked);
        expect(page.n, `the position of "${action}"`).to.be.at.least(before.n);
        expect(page.head >= before.head, `the head of "${action}"`).to.equal(true);
        before = page;
      }
    } finally {
      await instance.close();
    }
  };

  it('have no smaller head or position when a page of the store is followed by one of the copy', () =>
    check(['publish', 'of the store', 'newest']));

  it('have none then if the logs answer slowly: the page of the store waits for them', () =>
    check(['logs are slow', 'publish', 'of the store', 'newest']));

  it('have none when the copy is used again because the logs are read again', () =>
    check([
      ...(['logs fail', 'wait 2 s', 'read', 'logs answer', 'logs take 30 ms'] as const),
      ...(['begin a read', 'publish', 'newest', 'the read ends', 'newest'] as const),
    ]));

  it('have none when requests share a page of the store', () =>
    check(['logs fail', 'wait 2 s', 'read', 'newest', 'publish', 'the newest one', 'newest']));

  it('have none, whatever is published and whether the logs can be read', async () => {
    const action = fc.constantFrom<Action>(...ACTIONS, ...(Object.keys(RANGES) as Asked[]));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), (actions) => check(actions)),
      runs(100),
    );
  });
});
