import { expect } from 'chai';
import fc from 'fast-check';
import { fittingBeside, isTooLarge, RESULT_BYTES_MAX } from '../../../src/adapters/mcp/tool-result.js';

const KB = 1_024;

describe('The entries that fit into one result of a tool', () => {
  for (const { title, beside, entries, fitting } of [
    { title: 'are none of none', beside: 0, entries: [], fitting: 0 },
    { title: 'are all of a few small ones', beside: 0, entries: Array(25).fill(2 * KB), fitting: 25 },
    {
      title: 'are those before the one that exceeds 60 KB',
      beside: 0,
      entries: Array(25).fill(5 * KB),
      fitting: 11,
    },
    {
      title: 'are fewer beside something else',
      beside: 30 * KB,
      entries: Array(25).fill(5 * KB),
      fitting: 5,
    },
    { title: 'are none if there is no room', beside: 59 * KB, entries: [5 * KB], fitting: 0 },
  ]) {
    it(title, () => {
      expect(fittingBeside(beside, entries)).to.equal(fitting);
    });
  }

  it('never exceed the limit, and leave none out that would fit', () => {
    fc.assert(
      fc.property(fc.nat(70 * KB), fc.array(fc.nat(20 * KB), { minLength: 1 }), (beside, entries) => {
        const count = fittingBeside(beside, entries);
        const used = entries.slice(0, count).reduce((sum, bytes) => sum + 1 + bytes, beside);
        if (count > 0) expect(used).to.be.at.most(RESULT_BYTES_MAX);
        const next = entries[count];
        if (next !== undefined) expect(used + 1 + next).to.be.above(RESULT_BYTES_MAX - KB);
      }),
    );
  });
});

describe('An entry', () => {
  it('is too large if a result with nothing else could not have it', () => {
    expect([0, 59 * KB, RESULT_BYTES_MAX, 1_024 * KB].map(isTooLarge)).to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
  });
});
