import { expect } from 'chai';
import type { CopyListener } from '../../../src/adapters/caching/feed/copy-listener.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import type { StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { NO_TERMS } from '../../../src/domain/feed/filters/item-terms.js';
import { samePosition } from '../../../src/domain/feed/position.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { followerOf } from '../../support/copies/followed-feed.js';
import { withoutVersion } from '../../support/copies/without-version.js';
import { listedItem } from '../../support/live/stored-changes.js';
import { NOON } from '../../support/objects/builders.js';

const short = (change: StoredChange): string =>
  'item' in change ? `${change.kind} ${textOf(change.item)}` : change.kind;
const item = (id: string, text: string) => ({
  ...listedItem(id, 1),
  json: Buffer.from(JSON.stringify({ text })),
});
const textOf = (of: ListedItem | null): string => (of === null ? '-' : JSON.parse(of.json.toString()).text);

/** A copy of a store in memory, and what its listener gets. */
class Fixture {
  readonly store = new MemoryFeedStore();
  readonly heard: unknown[] = [];
  readonly follower = followerOf(new MemoryChangeLogs(new MemoryAccounts(), this.store));
  /** Runs before the items of changes are found. */
  beforeFind: () => Promise<unknown> = async () => {};
  readonly #listener: CopyListener = {
    rebuild: (position, head) => this.heard.push(['rebuild', position.n, head]),
    // The copy has applied the changes when they are handed over.
    add: (changes) => {
      const [position, last] = [this.copy.state?.position ?? null, changes.at(-1)?.position ?? null];
      this.heard.push([samePosition(position, last), ...changes.map(short)]);
    },
    noteHead: (head) => this.heard.push(['head', head]),
  };
  readonly copy: FeedCopy;

  constructor() {
    const find = async (ids: readonly string[]) => {
      await this.beforeFind();
      return this.store.find(ids);
    };
    const feed = { page: this.store.page.bind(this.store), find };
    this.copy = new FeedCopy(feed, feed, {
      max: 10,
      listener: this.#listener,
      readNow: () => this.follower.readNow(),
    });
    this.follower.keep({
      apply: (changes) => this.copy.apply(changes.feed),
      rebuild: (position) => this.copy.rebuild(position),
    });
  }

  /** What the listener gets until the copy has every change. */
  async follow(): Promise<readonly unknown[]> {
    await this.follower.readNow();
    await this.copy.updated();
    return this.heard.splice(0);
  }
}

describe('What a copy of the feed hands over', () => {
  let fixture: Fixture;
  beforeEach(() => {
    fixture = new Fixture();
  });
  afterEach(() => fixture.follower.close());

  it('is the position of a rebuild, and the head once it is read', async () => {
    expect(await fixture.follow()).to.deep.equal([
      ['rebuild', 0, null],
      ['head', null],
    ]);
    const [stored] = await fixture.store.publish([item('a', 'a')], 'live');
    await fixture.follow();
    fixture.copy.rebuild(fixture.store.state.position);
    await fixture.copy.updated();
    expect(await fixture.follow()).to.deep.equal([
      ['rebuild', 1, stored?.scoredAt],
      ['head', stored?.scoredAt],
    ]);
  });

  it('is every change with its item, in the step in which the copy applies it', async () => {
    await fixture.follow();
    await fixture.store.publish([item('a', 'a1'), item('b', 'b1')], 'live');
    expect(await fixture.follow()).to.deep.equal([[true, 'published a1', 'published b1']]);
    await fixture.store.publish([item('a', 'a2')], 'live');
    await fixture.store.retract('b');
    await fixture.store.raiseHead(plus(NOON, HOUR), plus(NOON, HOUR));
    expect(await fixture.follow()).to.deep.equal([[true, 'replaced a2', 'retracted', 'raised']]);
  });

  it('is no item for a change whose item has changed again, and that change in the same step (D45)', async () => {
    await fixture.follow();
    await fixture.store.publish([item('c', 'c1'), item('d', 'd1'), item('c', 'c2')], 'live');
    fixture.beforeFind = async () => {
      fixture.beforeFind = async () => {};
      await fixture.store.publish([item('d', 'd2')], 'live');
    };
    const heard = [...(await fixture.follow()), ...(await fixture.follow())];
    expect(heard).to.deep.equal([[true, 'published -', 'published -', 'published c2', 'replaced d2']]);
  });

  it('is no item for a change whose item was published again at the same time', async () => {
    await fixture.follow();
    await fixture.store.publish([item('e', 'e1')], 'backfill');
    fixture.beforeFind = async () => {
      fixture.beforeFind = async () => {};
      await fixture.store.retract('e');
      await fixture.store.publish([item('e', 'e2')], 'backfill');
    };
    expect(await fixture.follow()).to.deep.equal([[true, 'published -', 'retracted', 'published e2']]);
  });

  it('is a rebuild if too many changes would be in one step', async () => {
    await fixture.follow();
    await fixture.store.publish([item('f', 'f1')], 'live');
    const others = Array.from({ length: 1_000 }, (_, i) => item(`other ${i}`, ''));
    fixture.beforeFind = async () => {
      fixture.beforeFind = async () => {};
      await fixture.store.publish([...others, item('f', 'f2')], 'live');
    };
    expect((await fixture.follow())[0]).to.deep.equal(['rebuild', 1_002, null]);
    const all = { before: null, since: null, newsId: null, marketId: null, terms: NO_TERMS, count: 5 };
    expect(withoutVersion(fixture.copy.page(all))).to.deep.equal(withoutVersion(fixture.store.page(all)));
  });

  it('is every change once, in order, however many there are', async () => {
    await fixture.follow();
    const texts = Array.from({ length: 250 }, (_, i) => `v${i}`);
    await fixture.store.publish(
      texts.map((text) => item(text, text)),
      'live',
    );
    const parts = (await fixture.follow()) as readonly (readonly unknown[])[];
    expect(parts.flatMap(([, ...changes]) => changes)).to.deep.equal(
      texts.map((text) => `published ${text}`),
    );
    expect(parts.map(([isApplied]) => isApplied)).to.deep.equal([true, true, true]);
  });
});
