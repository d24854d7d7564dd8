import { expect } from 'chai';
import fc from 'fast-check';
import { fittingEntries, isTooLarge, RESULT_BYTES_MAX } from '../../../src/adapters/mcp/tool-result.js';

const entry = (bytes: number, noteBytes = 300) => ({ bytes, noteBytes });
const KB = 1_024;

describe('The entries that fit into one result of a tool', () => {
  for (const { title, entries, fitting } of [
    { title: 'are none of none', entries: [], fitting: 0 },
    { title: 'are all of a few small ones', entries: Array(25).fill(entry(2 * KB)), fitting: 25 },
    {
      title: 'are those before the one that exceeds 60 KB',
      entries: Array(25).fill(entry(5 * KB)),
      fitting: 11,
    },
    { title: 'are one that alone nearly fills it', entries: [entry(59 * KB), entry(5 * KB)], fitting: 1 },
    {
      title: 'include one that is too large, with its note',
      entries: [entry(61 * KB), entry(5 * KB)],
      fitting: 2,
    },
    { title: 'are one at least, so that reading goes on', entries: [entry(61 * KB, 61 * KB)], fitting: 1 },
  ]) {
    it(title, () => {
      expect(fittingEntries(entries)).to.equal(fitting);
    });
  }

  it('never exceed the limit, leave none out that would fit, and are at least one', () => {
    const sizes = fc.array(fc.record({ bytes: fc.nat(80 * KB), noteBytes: fc.nat(1_200) }), { minLength: 1 });
    fc.assert(
      fc.property(sizes, (entries) => {
        const shown = ({ bytes, noteBytes }: (typeof entries)[number]) =>
          1 + (isTooLarge(bytes) ? noteBytes : bytes);
        const count = fittingEntries(entries);
        const used = entries.slice(0, count).reduce((sum, each) => sum + shown(each), 0);
        expect(count).to.be.at.least(1);
        expect(used).to.be.at.most(RESULT_BYTES_MAX);
        const next = entries[count];
        if (next !== undefined) expect(used + shown(next)).to.be.above(RESULT_BYTES_MAX - KB);
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
