import { expect } from 'chai';
import fc from 'fast-check';
import { FAULT_KINDS, quietMs, resourceOf, SURVIVOR, scheduleOf } from './chaos/schedule.js';
import { runs } from './objects/builders.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const durations = fc.integer({ min: 15_000, max: 900_000 });
const ENOUGH_MS = 120_000;

describe('The schedule of the faults of a chaos run', () => {
  it('is the same for the same seed and duration, and another one for another seed', () => {
    expect(scheduleOf(7, ENOUGH_MS)).to.deep.equal(scheduleOf(7, ENOUGH_MS));
    expect(scheduleOf(7, ENOUGH_MS)).to.not.deep.equal(scheduleOf(8, ENOUGH_MS));
  });

  it('has every kind of fault in two minutes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const kinds = new Set(scheduleOf(seed, ENOUGH_MS).map(({ fault }) => fault.kind));
        expect([...kinds]).to.have.members(FAULT_KINDS);
      }),
      runs(50),
    );
  });

  it('has at most two faults at once, which change different things', () => {
    fc.assert(
      fc.property(seeds, durations, (seed, duration) => {
        const schedule = scheduleOf(seed, duration);
        for (const one of schedule) {
          const others = schedule.filter(
            (other) => other !== one && other.at <= one.at && other.endsAt >= one.at,
          );
          expect(others.length).to.be.at.most(1);
          for (const other of others) expect(resourceOf(other.fault)).to.not.equal(resourceOf(one.fault));
        }
      }),
      runs(50),
    );
  });

  it('ends with a quiet time', () => {
    fc.assert(
      fc.property(seeds, durations, (seed, duration) => {
        const schedule = scheduleOf(seed, duration);
        expect(schedule.length).to.be.above(0);
        for (const { at, endsAt } of schedule) {
          expect(at).to.be.at.most(endsAt);
          expect(endsAt).to.be.at.most(duration - quietMs(duration));
        }
      }),
      runs(50),
    );
  });

  it('never kills the last instance', () => {
    const ended = scheduleOf(1, 600_000).flatMap(({ fault }) =>
      fault.kind === 'instance killed' || fault.kind === 'instance restarted' ? [fault.instance] : [],
    );
    expect(ended).to.not.include(SURVIVOR);
    expect(new Set(ended).size).to.equal(SURVIVOR);
  });
});
