import { expect } from 'chai';
import fc from 'fast-check';
import { Timeline } from '../../../src/domain/feed/timeline.js';
import { type Moment, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

type Item = { readonly scoredAt: Moment };
const ALL = { before: null, since: null, count: 1_000 };

/** Few moments, close together, so that the ends of ranges are at items as often as between them. */
const moments = fc.integer({ min: 0, max: 30 }).map((n) => plus(NOON, n));
const distinct = fc.uniqueArray(moments, { maxLength: 20 });
const timelineOf = (at: readonly Moment[]) => {
  const timeline = new Timeline<Item>();
  for (const scoredAt of at) timeline.add({ scoredAt });
  return timeline;
};
const shown = (items: readonly Item[]) => items.map(({ scoredAt }) => scoredAt);

describe('A timeline', () => {
  it('shows any range newest first, whatever the order of additions', () => {
    const range = fc.record({
      before: fc.option(moments),
      since: fc.option(moments),
      count: fc.integer({ min: 0, max: 25 }),
    });
    fc.assert(
      fc.property(distinct, range, (at, { before, since, count }) => {
        const expected = [...at]
          .filter((moment) => (before === null || moment < before) && (since === null || moment >= since))
          .sort()
          .reverse()
          .slice(0, count);
        expect(shown(timelineOf(at).newest({ before, since, count }))).to.deep.equal(expected);
      }),
      runs(300),
    );
  });

  it('shows the items after a moment, oldest first', () => {
    fc.assert(
      fc.property(distinct, moments, fc.integer({ min: 0, max: 25 }), (at, after, count) => {
        const expected = [...at].filter((moment) => moment > after).sort();
        expect(shown(timelineOf(at).after(after, count))).to.deep.equal(expected.slice(0, count));
      }),
      runs(300),
    );
  });

  it('has all added items, without those that were removed', () => {
    fc.assert(
      fc.property(distinct, fc.array(moments, { maxLength: 10 }), (at, removed) => {
        const timeline = timelineOf(at);
        for (const moment of removed) timeline.remove(moment);
        const left = at.filter((moment) => !removed.includes(moment));
        expect(shown(timeline.newest(ALL))).to.deep.equal([...left].sort().reverse());
        expect(timeline.size).to.equal(left.length);
        for (const moment of at) expect(timeline.at(moment) !== undefined).to.equal(left.includes(moment));
      }),
      runs(300),
    );
  });

  it('finds nothing while it is empty', () => {
    const timeline = new Timeline<Item>();
    expect([timeline.size, timeline.at(NOON), timeline.newest(ALL)]).to.deep.equal([0, undefined, []]);
    timeline.remove(NOON);
    expect(timeline.size).to.equal(0);
  });
});
