import { expect } from 'chai';
import { LIMIT } from '../../../src/domain/feed/feed-query.js';

describe('The parameter `limit` (contract section 4, D13)', () => {
  it('ranges from 1 to 500, and is 50 by default (contract section 8)', () => {
    expect(LIMIT).to.deep.equal({ minimum: 1, maximum: 500, default: 50 });
  });
});
