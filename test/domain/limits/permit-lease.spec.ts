import { expect } from 'chai';
import fc from 'fast-check';
import { permitLeaseSize } from '../../../src/domain/limits/permit-lease.js';
import { runs } from '../../support/objects/builders.js';

describe('A permit lease', () => {
  const of = (capacity: number, count: number, demand = 1_000_000) =>
    permitLeaseSize([{ capacity, count }], demand);

  it('is at most 5 % of a quota, and at most a share of the remaining permits', () => {
    expect(of(100_000, 0)).to.equal(5_000);
    expect(of(100_000, 80_000)).to.equal(1_250);
  });

  it('is no larger than the demand', () => {
    expect(of(100_000, 0, 40)).to.equal(40);
    expect(of(100_000, 0, 0)).to.equal(1);
  });

  it('is not used for a quota under 1 000, or with less than 10 % left: each request takes its own permit', () => {
    expect([of(999, 0), of(1_000, 0)]).to.deep.equal([1, 50]);
    expect([of(10_000, 9_000), of(10_000, 9_001)]).to.deep.equal([62, 1]);
    expect(of(10_000, 20_000)).to.equal(1);
  });

  it('is limited by the policy that allows the smallest lease', () => {
    const [minute, day] = [
      { capacity: 3_000, count: 0 },
      { capacity: 1_000_000, count: 950_000 },
    ];
    expect(permitLeaseSize([minute], 1_000)).to.equal(150);
    expect(permitLeaseSize([minute, day], 1_000)).to.equal(1);
  });

  it('leaves permits to other instances, whatever the numbers', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000_000), (capacity, count, demand) => {
        const size = of(capacity, count, demand);
        expect(size).to.be.at.least(1);
        if (size > 1) expect(size).to.be.at.most(Math.min(capacity * 0.05, (capacity - count) / 2));
      }),
      runs(500),
    );
  });
});
