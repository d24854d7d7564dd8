import { expect } from 'chai';
import fc from 'fast-check';
import { storyOrder } from '../../../src/adapters/stories/story-order.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { type SandboxChange, SandboxLog } from '../../../src/domain/sandbox/sandbox-log.js';
import { CHANGES_KEPT, timeOfChange } from '../../../src/domain/sandbox/sandbox-time.js';
import { runs } from '../../support/objects/builders.js';

const { backlog, live } = storyOrder(false);
const STEPS = [...backlog, ...live];
const aLog = () => new SandboxLog(() => STEPS);
const aChange = () => fc.integer({ min: 2 * CHANGES_KEPT, max: 3_000_000 });

/** The feed after the changes, newest first: a walk that applies each of them. */
function replayed(changes: readonly SandboxChange[]): readonly string[] {
  const feed = new Map<string, number>();
  for (const { kind, id, n } of changes) {
    feed.delete(id);
    if (kind !== 'retracted') feed.set(id, n);
  }
  return [...feed].reverse().map(([id, n]) => `${n} ${id}`);
}

describe('The log of the sandbox', () => {
  it('is the same in every process, in whatever order its changes are read (D77)', () => {
    const known = aLog();
    const property = fc.property(fc.array(aChange(), { maxLength: 3 }), (numbers) => {
      const fresh = aLog();
      for (const n of numbers) expect(fresh.change(n)).to.deep.equal(known.change(n));
    });
    fc.assert(property, runs(5));
  });

  it('has the feed that a walk over its changes has, at any moment', () => {
    const log = aLog();
    const property = fc.property(aChange(), (n) => {
      const changes = log.changes(n - CHANGES_KEPT + 1, n);
      const feed = [...log.published(n)];
      expect(feed.map((change) => `${change.n} ${change.id}`)).to.deep.equal(replayed(changes));
      expect(log.headAfter(n)).to.equal(timeOfChange(feed[0]?.n ?? 0));
    });
    fc.assert(property, runs(5));
  });

  it('publishes, replaces and retracts in each round, with revisions and times', () => {
    const log = aLog();
    const round = log.changes(1_000 * STEPS.length + 1, 1_001 * STEPS.length);
    const kinds = new Set(round.map(({ kind }) => kind));
    expect([...kinds].sort()).to.deep.equal(['published', 'replaced', 'retracted']);
    for (const change of round) {
      const earlier = round.filter(({ id, n }) => id === change.id && n < change.n);
      expect(change.revision).to.equal(earlier.length + 1);
      if (change.kind === 'retracted') continue;
      const { news_event } = JSON.parse(change.item.json.toString()) as FeedItem;
      const first = change.kind === 'replaced' ? earlier[0] : change;
      expect(change.scoredAt).to.equal(timeOfChange(change.n));
      expect(news_event.endpoint_published_at).to.equal(timeOfChange(first?.n ?? 0));
      expect(news_event.source_published_at < change.scoredAt).to.equal(true);
    }
  });

  it('has ids of its own in each round', () => {
    const log = aLog();
    const ids = (round: number) =>
      log.changes(round * STEPS.length + 1, (round + 1) * STEPS.length).map(({ id }) => id);
    expect(new Set([...ids(7), ...ids(8)]).size).to.equal(2 * new Set(ids(7)).size);
  });
});
