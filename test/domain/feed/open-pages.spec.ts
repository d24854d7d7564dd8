import { expect } from 'chai';
import { lacksTooMuch } from '../../../src/domain/feed/open-pages.js';
import { NO_MARK } from '../../../src/domain/feed/position.js';

const at = (n: number) => ({ n, mark: NO_MARK });

describe('An open page', () => {
  it('gets the changes that it lacks, up to 500', () => {
    for (const [page, newest, lacks] of [
      [7, 7, false],
      [8, 7, false],
      [0, 500, false],
      [0, 501, true],
    ] as const)
      expect(lacksTooMuch(at(page), at(newest)), `${page} of ${newest}`).to.equal(lacks);
  });
});
