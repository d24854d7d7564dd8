import { expect } from 'chai';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryGate } from '../../../src/adapters/memory/keys/memory-gate.js';
import type { FeedRange } from '../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import type { Position } from '../../../src/domain/feed/position.js';
import { positionsAt } from '../../support/copies/decided-logs.js';
import { COMPARE_AFTER_MS, cachedGateInMemory, revoke } from '../../support/copies/far-gate.js';
import { withoutVersion } from '../../support/copies/without-version.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { EVERYTHING, item } from '../../support/objects/listed-items.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';
import { unavailability } from '../../support/service/faults.js';

/** After a failover, sessions of the pool can still reach a server that lags or that was replaced. */
describe('A cached gate that a server with an older state answers (D35, D45)', () => {
  let { clock, follower, diverged, stored, accounts, far, gate, status, failure } = cachedGateInMemory();
  beforeEach(() => {
    ({ clock, follower, diverged, stored, accounts, far, gate, status, failure } = cachedGateInMemory());
  });

  /** Revokes the key of an account. The process has applied that, but the store answers with the state before. */
  async function revokeUnseen(account: Account): Promise<void> {
    const before = new MemoryGate(stored).snapshot(firstKey(account).hash);
    await revoke(stored, account);
    gate.apply([{ keys: [firstKey(account).hash] }]);
    follower.positions = { ...positionsAt(0), accounts: stored.log.newest };
    far.older = { find: () => before.entry, snapshot: () => before };
  }

  it('looks the key up again', async () => {
    const account = await anAccount(accounts);
    await revokeUnseen(account);
    far.whenAsked = () => {
      far.older = null;
    };
    expect(await status(firstKey(account).hash)).to.equal('revoked');
    expect(far.asked).to.equal(2);
  });

  it('fails after the second such answer, and keeps neither', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    await revokeUnseen(account);
    expect(await failure(hash)).to.be.instanceOf(Unavailable);
    expect(far.asked).to.equal(2);
    far.older = null;
    expect([await status(hash), await status(hash)]).to.deep.equal(['revoked', 'revoked']);
    expect(far.asked).to.equal(3);
  });

  it('uses its copy while the logs are not read, and does not replace it', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const older = new MemoryGate(stored).snapshot(hash);
    await revoke(stored, account);
    expect(await status(hash)).to.equal('revoked');
    follower.positions = { ...positionsAt(0), accounts: stored.log.newest };
    far.older = { find: () => older.entry, snapshot: () => older };
    follower.decided = 'outdated';
    clock.ms = 5_000;
    for (let i = 0; i < 2; i += 1) {
      expect(await status(hash)).to.equal('revoked');
      await nextImmediate();
    }
    expect(far.asked).to.equal(3);
  });

  it('reports no divergence, and compares the copy again', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const older = new MemoryGate(stored).snapshot(hash);
    await revoke(stored, account);
    await gate.find(hash);
    follower.positions = { ...positionsAt(0), accounts: stored.log.newest };
    far.older = { find: () => older.entry, snapshot: () => older };
    clock.ms = 2 * COMPARE_AFTER_MS;
    await gate.find(hash);
    await nextImmediate();
    expect([far.asked, follower.reads, diverged]).to.deep.equal([2, 0, []]);
    clock.ms += 1_000;
    await gate.find(hash);
    expect(far.asked).to.equal(3);
  });

  it('uses an answer from before a change that is applied during the look-up', async () => {
    const [account, other] = [await anAccount(accounts), await anAccount(accounts)];
    follower.positions = { ...positionsAt(0), accounts: stored.log.newest };
    far.slow = true;
    const found = status(firstKey(account).hash);
    const { answer } = await far.question(0);
    await revoke(stored, other);
    follower.positions = { ...positionsAt(0), accounts: stored.log.newest };
    answer();
    expect(await found).to.equal('active');
    expect(far.asked).to.equal(1);
  });
});

describe('A copy of the feed that a server with an older state answers (D45)', () => {
  const KEPT = 150;
  const items = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => item(`${name} ${i}`, i));

  /** A feed with the same items in two stores. The first one has more changes, and the log of the copy is its own. */
  async function twoServers() {
    const [feed, older] = [new MemoryFeedStore(), new MemoryFeedStore()];
    await feed.publish(items('kept', KEPT), 'live');
    await older.publish(items('kept', KEPT - 1), 'live');
    const answering = { now: feed };
    const read = {
      page: async (range: FeedRange) => answering.now.page(range),
      find: (ids: readonly string[]) => answering.now.find(ids),
    };
    return { feed, older, answering, read, copy: new FeedCopy(read, read, { max: 1_000 }) };
  }
  const changesSince = ({ log }: MemoryFeedStore, position: Position) => {
    const entries = log.after(position, 1_000);
    if (typeof entries === 'string') throw new Error(entries);
    return entries.map(({ position: of, change }) => ({ position: of, ...change }));
  };

  it('applies no change with its items, and applies it when another server answers', async () => {
    const { feed, older, answering, copy } = await twoServers();
    copy.rebuild(feed.log.newest);
    await copy.updated();
    const before = copy.page(EVERYTHING);
    const start = feed.log.newest;
    await feed.publish(items('more', 1), 'live');
    answering.now = older;
    copy.apply(changesSince(feed, start));
    await unavailability(copy.updated());
    expect(copy.page(EVERYTHING)).to.equal(before);
    answering.now = feed;
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(feed.page(EVERYTHING)));
  });

  it('is not rebuilt from its pages', async () => {
    const { feed, older, answering, copy } = await twoServers();
    answering.now = older;
    copy.rebuild(feed.log.newest);
    await unavailability(copy.updated());
    expect(copy.page(EVERYTHING)).to.equal(undefined);
    answering.now = feed;
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(feed.page(EVERYTHING)));
  });

  it('is ready after the newest change of all pages that it was rebuilt from', async () => {
    const { feed, read, copy } = await twoServers();
    const start = feed.log.newest;
    await feed.publish(items('more', 1), 'live');
    let pages = 0;
    read.page = async (range) => {
      pages += 1;
      return pages === 1 ? feed.page(range) : { ...feed.page(range), position: start };
    };
    copy.rebuild(start);
    await copy.updated();
    expect([pages, copy.page(EVERYTHING)]).to.deep.equal([2, undefined]);
    copy.apply(changesSince(feed, start));
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal(withoutVersion(feed.page(EVERYTHING)));
  });
});
