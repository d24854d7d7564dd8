import type {
  FeedRange,
  FeedStore,
  ListedItem,
  RenderedItem,
} from '../../../src/application/ports/feed/feed-store.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts, type Open } from '../adapters.js';

export const EVERYTHING: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
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
  json: Buffer.from(`{"id":${JSON.stringify(id)},"text":"é山"}`),
});

export const ids = (items: readonly RenderedItem[]) => items.map(({ id }) => id);
export const times = (items: readonly RenderedItem[]) => items.map(({ scoredAt }) => scoredAt);
export const at = (micros: number) => plus(NOON, micros * MICROSECOND);

/** One feed and two instances over it. */
export type TwoInstances = {
  readonly left: () => FeedStore;
  readonly right: () => FeedStore;
  /** Every item, as the right instance shows it. */
  readonly all: () => Promise<readonly RenderedItem[]>;
  /** Another feed, empty. */
  readonly open: Open<FeedStore>;
};

/** The same tests for every adapter. A feed is one order of everything: each test has its own. */
export function eachFeedStore(tests: (feed: TwoInstances) => void): void {
  for (const [name, open] of Object.entries<Open<FeedStore>>(contracts.feedStore)) {
    describe(`FeedStore, kept by ${name},`, () => {
      let store: Awaited<ReturnType<Open<FeedStore>>>;
      let left: FeedStore;
      let right: FeedStore;
      beforeEach(async () => {
        store = await open();
        [left, right] = [await store.instance(), await store.instance()];
      });
      afterEach(() => store.close());

      tests({
        left: () => left,
        right: () => right,
        all: async () => (await right.page(EVERYTHING)).items,
        open,
      });
    });
  }
}
