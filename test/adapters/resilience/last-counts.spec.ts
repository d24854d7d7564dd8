import { expect } from 'chai';
import { LastCounts } from '../../../src/adapters/resilience/last-counts.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';

describe('The last counts of the shared counters', () => {
  const permit = (counter: string, lifetimeSeconds = 60): Permit => ({
    counter,
    capacity: 10,
    lifetimeSeconds,
  });
  const minute = (n: number) => permit(`minute:${n}`);
  const day = permit('day:1', 90_000);
  let now: number;
  let local: Record<string, number>;
  let counts: LastCounts;
  const note = (permits: readonly Permit[], values: readonly number[], granted = 0, isNew = false) =>
    counts.note(permits, { counts: values, granted, isNew });
  beforeEach(() => {
    now = 0;
    local = {};
    counts = new LastCounts(
      (permits, values) => {
        for (const [i, { counter }] of permits.entries()) local[counter] = values[i] ?? 0;
      },
      () => now,
    );
  });

  it('reach the local counters when those are needed, and only once', () => {
    note([minute(1), day], [1, 1]);
    note([minute(1), day], [2, 2]);
    expect(local).to.deep.equal({});
    counts.apply([minute(1), day]);
    expect(local).to.deep.equal({ 'minute:1': 2, 'day:1': 2 });
    local = {};
    counts.apply([minute(1), day]);
    expect(local).to.deep.equal({});
  });

  it('reach them for the counters of a longer window, although a shorter one has ended', () => {
    note([minute(1), day], [5, 7]);
    counts.apply([minute(2), day]);
    expect(local).to.include({ 'day:1': 7 });
  });

  it('are not lost when another list with the same last counter follows', () => {
    note([minute(1), day], [5, 7]);
    note([minute(2), day], [1, 8]);
    expect(local).to.include({ 'minute:1': 5 });
    counts.apply([minute(2), day]);
    expect(local).to.deep.equal({ 'minute:1': 5, 'day:1': 8, 'minute:2': 1 });
  });

  it('do not change when the caller changes its list', () => {
    const given = [5, 7];
    note([minute(1), day], given);
    given[0] = 9;
    counts.apply([minute(1), day]);
    expect(local).to.include({ 'minute:1': 5 });
  });

  it('are dropped after their counters have ended', () => {
    for (let n = 0; n < 1_000; n += 1) note([minute(n)], [1]);
    note([day], [1]);
    now = 60_000;
    for (let n = 1_000; n < 2_000; n += 1) note([minute(n)], [1]);
    expect(counts.size).to.equal(1_001);
    now = 120_000;
    for (let n = 2_000; n < 4_000; n += 1) note([minute(n)], [1]);
    expect(counts.size).to.equal(2_001);
    counts.apply([day]);
    expect(local).to.deep.equal({ 'day:1': 1 });
  });

  it('tell from the permits of this process that the shared counters have lost counts', () => {
    note([minute(1), day], [3, 40], 1);
    note([minute(1), day], [4, 41], 1);
    expect(note([minute(1), day], [1, 1], 1)).to.deep.equal([4, 41]);
    expect(note([minute(2), day], [1, 1], 1)).to.deep.equal([0, 41]);
  });

  it('tell from a new counter that the shared counters have lost counts, also those of other processes', () => {
    note([minute(1), day], [3, 40]);
    expect(note([minute(2), day], [1, 1], 1, true)).to.deep.equal([0, 40]);
  });

  it('are compared once with those of shared counters that were unavailable', () => {
    note([minute(1), day], [3, 40]);
    counts.doubt();
    expect(note([minute(1), day], [3, 39])).to.deep.equal([3, 40]);
    expect(note([minute(1), day], [3, 40])).to.equal(null);
    expect(note([minute(1), day], [3, 39])).to.equal(null);
  });

  it('allow that permits were given back, by this process or by others', () => {
    note([minute(1), day], [30, 40], 10);
    expect(note([minute(1), day], [11, 11], 1)).to.equal(null);
    counts.noteGivenBack([minute(1), day], 11);
    expect(note([minute(1), day], [1, 1], 1)).to.equal(null);
  });
});
