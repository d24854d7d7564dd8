import { expect } from 'chai';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { RaiseFeedHead } from '../../../src/application/feed/raise-feed-head.js';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import { NotNow } from '../../../src/application/unavailable.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const at = (seconds: number) => plus(NOON, seconds * SECOND);

describe('The head of a feed that returned to an older state (D45)', () => {
  const restored = () => {
    const feed = new MemoryFeedStore();
    const attempts: ReturnType<FeedStore['raiseHead']>[] = [];
    const state = { isReadOnly: false };
    const raiseHead: FeedStore['raiseHead'] = (seen, now) => {
      const attempt = state.isReadOnly ? Promise.reject(new NotNow('Postgres')) : feed.raiseHead(seen, now);
      attempts.push(attempt);
      return attempt;
    };
    return { feed, state, attempts, raising: new RaiseFeedHead({ feed: { raiseHead }, clock: () => NOON }) };
  };

  it('is raised to the greatest head that was seen, once', async () => {
    const { feed, attempts, raising } = restored();
    await raising.write();
    expect(attempts).to.have.length(0);
    expect(raising.note(at(1))).to.equal(at(1));
    await Promise.all([raising.write(), raising.write()]);
    await raising.write();
    expect(attempts).to.have.length(1);
    expect(feed.state.head).to.equal(at(1));
  });

  it('stays as it is if no head was seen', async () => {
    const { attempts, raising } = restored();
    expect(raising.note(null)).to.equal(null);
    await raising.write();
    expect(attempts).to.have.length(0);
  });

  it('is raised when the store accepts writes again', async () => {
    const { feed, state, raising } = restored();
    state.isReadOnly = true;
    raising.note(at(2));
    await raising.write();
    expect(feed.state.head).to.equal(null);
    expect(raising.note(at(1))).to.equal(at(2));
    await raising.write();
    state.isReadOnly = false;
    await raising.write();
    expect(feed.state.head).to.equal(at(2));
  });

  it('is raised at most to 5 s after the clock (D7)', async () => {
    const { feed, raising } = restored();
    expect(raising.note(at(60))).to.equal(at(5));
    await raising.write();
    expect(feed.state.head).to.equal(at(5));
  });
});
