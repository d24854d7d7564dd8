import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { SandboxFeed } from '../../../src/adapters/sandbox/sandbox-feed.js';
import { SandboxPast } from '../../../src/adapters/sandbox/sandbox-past.js';
import { storyOrder } from '../../../src/adapters/stories/story-order.js';
import type { FeedRange } from '../../../src/application/ports/feed/feed-store.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { NO_TERMS, termOf } from '../../../src/domain/feed/filters/item-terms.js';
import type { Moment } from '../../../src/domain/moment.js';
import { SandboxLog } from '../../../src/domain/sandbox/sandbox-log.js';
import { CHANGES_KEPT, sandboxPosition, timeOfChange } from '../../../src/domain/sandbox/sandbox-time.js';
import { runs } from '../../support/objects/builders.js';

const { backlog, live } = storyOrder(false);
const LOG = new SandboxLog(() => [...backlog, ...live]);
const NEWEST = 200_000;
const OLDEST = NEWEST - CHANGES_KEPT;
/** The publications that both feeds have: a store in memory has what it was told only. */
const FIRST = OLDEST + 1;

const ALL: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: NO_TERMS,
  count: 1_000,
};

/** A store in memory to which the changes of the sandbox were published, with the same times and marks. */
async function publishedStore(): Promise<MemoryFeedStore> {
  let n = OLDEST;
  const store = new MemoryFeedStore(
    () => sandboxPosition(n).mark,
    () => timeOfChange(n),
  );
  for (n = FIRST; n <= NEWEST; n += 1) {
    const change = LOG.change(n);
    if (change.kind === 'retracted') await store.retract(change.id);
    else await store.publish([{ ...change.item, isScoredNow: false }], 'live');
  }
  return store;
}

describe('The feed of the sandbox', () => {
  it('reads the clock once for an answer, so that no change is between its items and its position', async () => {
    let n = NEWEST - 1;
    const between = new SandboxFeed({
      log: LOG,
      clock: () => {
        n += 1;
        return timeOfChange(n);
      },
    });
    const { position, version } = between.page({ ...ALL, count: 1 });
    expect(version).to.equal(` ${LOG.published(position.n).next().value?.n}`);
    const { newest, changes } = await between.changes(n, 10);
    expect(changes.at(-1)?.position.n).to.equal(newest.n);
  });

  const feed = new SandboxFeed({ log: LOG, clock: () => timeOfChange(NEWEST) });
  const past = new SandboxPast({ log: LOG, newestNumber: () => feed.newestNumber });
  let store: MemoryFeedStore;
  before(async () => {
    store = await publishedStore();
  });

  const texts = (items: readonly { readonly json: Buffer }[]) => items.map(({ json }) => json.toString());

  it('has the pages of a store to which its changes were published', () => {
    const items = store.page(ALL).items;
    const times = fc.option(fc.constantFrom(...items.map(({ scoredAt }) => scoredAt)));
    const ids = fc.option(fc.constantFrom(...items.map(({ id }) => id)), { freq: 9 });
    const markets = fc.option(fc.constantFrom(...items.flatMap(({ subMarketIds }) => subMarketIds)), {
      freq: 3,
    });
    const terms = fc.constantFrom(
      NO_TERMS,
      [[termOf('category', 'geopolitics')]],
      [[termOf('word', 'freight')], [termOf('relevance', 'high')]],
    );
    const range = fc.record({
      before: times,
      since: times,
      newsId: ids,
      marketId: markets,
      terms,
      count: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(range, (asked) => {
        const [found, expected] = [feed.page(asked), store.page(asked)];
        expect(texts(found.items)).to.deep.equal(texts(expected.items));
        expect(found.head).to.equal(expected.head);
      }),
      runs(50),
    );
  });

  it('has its log, with the items that have not changed since', async () => {
    const history = new MemoryFeedHistory(store);
    // The store numbers its changes from 1 on.
    const [own, stored] = [await feed.changes(FIRST, CHANGES_KEPT), await history.changes(1, CHANGES_KEPT)];
    expect(own.newest).to.deep.equal(sandboxPosition(NEWEST));
    expect(own.oldest).to.equal(OLDEST);
    const listed = ({ changes }: typeof own) =>
      changes.map((change) => {
        const { position, ...others } = change;
        return { ...others, mark: position.mark };
      });
    expect(listed(own)).to.deep.equal(listed(stored));
  });

  it('has its items in the order of their times, and its positions', async () => {
    const after = timeOfChange(NEWEST - 100);
    const { items } = await feed.itemsAfter(after, 20);
    expect(texts(items)).to.deep.equal(texts(store.itemsAfter(after, 20)));
    expect((await feed.itemsAfter(after, 20, 1)).items).to.have.length(1);
    const { positions } = await feed.positionsOf([OLDEST - 1, OLDEST, NEWEST, NEWEST + 1]);
    expect([...positions.keys()]).to.deep.equal([OLDEST, NEWEST]);
  });

  it('has its history: the page of each change, and every version', async () => {
    const readAll = { newsId: null, count: 10_000, bytesMax: Number.MAX_SAFE_INTEGER };
    const found = await past.changes({ ...readAll, after: OLDEST, until: NEWEST });
    const stored = await store.past.changes({ ...readAll, after: 0, until: CHANGES_KEPT });
    expect(found.changes.length).to.equal(CHANGES_KEPT);
    const id = found.changes.find(({ kind }) => kind === 'replaced')?.id ?? expect.fail();
    const shown = ({ changes }: typeof found) =>
      changes.map((change) => [
        'item' in change ? change.item : null,
        change.kind,
        change.id,
        change.scoredAt,
      ]);
    // Ids that were published before the first change of the store have other revisions and kinds there.
    expect(shown(found).slice(80)).to.deep.equal(shown(stored).slice(80));
    const ofId = await past.changes({ ...readAll, newsId: id, after: OLDEST, until: NEWEST });
    expect(ofId.changes.map((change) => change.id)).to.deep.equal([id, id]);
    const { start, point } = await past.find({ by: 'time', time: timeOfChange(NEWEST - 5) });
    expect(start.position).to.deep.equal(sandboxPosition(OLDEST));
    expect(point?.position.n).to.equal(NEWEST - 5);
    const earlier = new SandboxFeed({ log: LOG, clock: () => timeOfChange(NEWEST - 5) });
    if (point !== null)
      expect(texts((await past.page(ALL, point)).flatMap(({ item }) => item ?? []))).to.deep.equal(
        texts(earlier.page(ALL).items),
      );
    expect((await past.find({ by: 'position', position: sandboxPosition(OLDEST - 1) })).point).to.equal(null);
  });

  it('never goes back, whatever its clock shows', () => {
    let at: Moment = timeOfChange(NEWEST);
    const moved = new SandboxFeed({ log: LOG, clock: () => at });
    expect(moved.newestNumber).to.equal(NEWEST);
    at = timeOfChange(NEWEST - 10);
    expect(moved.newestNumber).to.equal(NEWEST);
  });

  it('has items that are valid feed items', () => {
    for (const { json } of feed.page(ALL).items) {
      const item = JSON.parse(json.toString()) as FeedItem;
      expect(item.meta).to.include({ not_investment_advice: true });
    }
  });
});
