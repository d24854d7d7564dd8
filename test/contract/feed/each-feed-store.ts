import type {
  FeedRange,
  FeedStore,
  ListedItem,
  RenderedItem,
} from '../../../src/application/ports/feed/feed-store.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { caughtUp, type Open, type Opened } from '../opening.js';

export const EVERYTHING: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: [],
  count: 1_000,
};

export const item = (
  id: string,
  scoredAt: Moment = NOON,
  ...subMarketIds: readonly string[]
): ListedItem => ({
  id,
  scoredAt,
  subMarketIds,
  json: Buffer.from(JSON.stringify({ id, text: `é山 ${subMarketIds.join()}` })),
});

export const ids = (items: readonly RenderedItem[]) => items.map(({ id }) => id);
export const times = (items: readonly RenderedItem[]) => items.map(({ scoredAt }) => scoredAt);
export const at = (micros: number) => plus(NOON, micros * MICROSECOND);

/** One feed and two instances over it. */
export type TwoInstances = {
  readonly left: () => FeedStore;
  readonly right: () => FeedStore;
  /** Every item, as the instance `right` shows it. */
  readonly all: () => Promise<readonly RenderedItem[]>;
  /** A page, once every instance shows all writes. */
  readonly page: (of: FeedStore, range?: FeedRange) => ReturnType<FeedStore['page']>;
  readonly caughtUp: () => Promise<void>;
};

/** The same tests for every adapter. Each test has its own feed, because all items of a feed have one order. */
export function eachFeedStore(tests: (feed: TwoInstances) => void): void {
  for (const [name, open] of Object.entries<Open<FeedStore>>(contracts.feedStores)) {
    describe(`FeedStore (${name})`, () => {
      let store: Opened<FeedStore>;
      let left: FeedStore;
      let right: FeedStore;
      beforeEach(async () => {
        store = await open();
        [left, right] = [await store.instance(), await store.instance()];
      });
      afterEach(() => store.close());

      const page = async (of: FeedStore, range: FeedRange = EVERYTHING) => {
        await caughtUp(store);
        return of.page(range);
      };
      tests({
        left: () => left,
        right: () => right,
        all: async () => (await page(right)).items,
        page,
        caughtUp: () => caughtUp(store),
      });
    });
  }
}
