import { expect } from 'chai';
import { isCrowded } from '../../../src/domain/limits/open-files.js';

describe('The open files of a process', () => {
  for (const [descriptor, most, expected] of [
    [899, 1_000, false],
    [900, 1_000, true],
    [1_023, 1_024, true],
    [1_000_000, null, false],
  ] as const) {
    it(`are ${expected ? 'crowded' : 'enough'} at number ${descriptor} of ${most ?? 'an unknown limit'}`, () => {
      expect(isCrowded(descriptor, most)).to.equal(expected);
    });
  }
});
