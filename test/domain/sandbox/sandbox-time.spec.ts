import { expect } from 'chai';
import { positionToken, readPosition } from '../../../src/domain/feed/position.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import {
  CHANGE_EVERY,
  CHANGES_KEPT,
  newestChangeAt,
  oldestChange,
  sandboxPosition,
  timeOfChange,
} from '../../../src/domain/sandbox/sandbox-time.js';
import { moment } from '../../support/objects/builders.js';

describe('The times of the sandbox', () => {
  it('number the changes from a fixed time on, one each 30 seconds (D77)', () => {
    const at = moment('2026-03-01T12:00:00Z');
    const n = newestChangeAt(at);
    expect(n).to.equal(171_360);
    expect(timeOfChange(n)).to.equal(at);
    expect(newestChangeAt(plus(at, -MICROSECOND))).to.equal(n - 1);
    expect(newestChangeAt(plus(at, CHANGE_EVERY))).to.equal(n + 1);
    expect(oldestChange(n)).to.equal(n - CHANGES_KEPT);
  });

  it('have a newest change that is great enough for an earlier clock, too', () => {
    expect(oldestChange(newestChangeAt(moment('1970-01-01T00:00:00Z')))).to.equal(CHANGES_KEPT);
  });

  it('give each change one position, in the form of real ones', () => {
    const position = sandboxPosition(171_360);
    expect(position).to.deep.equal({ n: 171_360, mark: sandboxPosition(171_360).mark });
    expect(position.mark).to.match(/^[0-9a-f]{16}$/);
    expect(readPosition(positionToken(position))).to.deep.equal(position);
    expect(sandboxPosition(171_361).mark).not.to.equal(position.mark);
  });
});
