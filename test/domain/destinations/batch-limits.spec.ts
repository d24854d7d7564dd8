import { expect } from 'chai';
import {
  BATCH_LIMITS,
  hasRoom,
  isCatchingUp,
  permitsFor,
  sentFrom,
} from '../../../src/domain/destinations/batch-limits.js';
import { HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

describe('The limits of a batch', () => {
  it('are 100 messages and 512 KB for a webhook, but for a first message that alone is larger', () => {
    const { webhook } = BATCH_LIMITS;
    expect(hasRoom(webhook, { messages: 99, bytes: 0 }, 1)).to.equal(true);
    expect(hasRoom(webhook, { messages: 100, bytes: 0 }, 1)).to.equal(false);
    expect(hasRoom(webhook, { messages: 1, bytes: 500_000 }, 23_265)).to.equal(false);
    expect(hasRoom(webhook, { messages: 0, bytes: 0 }, 1_000_000)).to.equal(true);
  });

  it('let a mail wait ten minutes for further changes, and nothing else', () => {
    expect(sentFrom(BATCH_LIMITS.email, NOON)).to.equal(plus(NOON, 10 * MINUTE));
    expect(sentFrom(BATCH_LIMITS.webhook, NOON)).to.equal(null);
  });

  it('call it catching up while the next change is older than an hour', () => {
    expect(isCatchingUp(null, NOON)).to.equal(false);
    expect(isCatchingUp(NOON, plus(NOON, HOUR))).to.equal(false);
    expect(isCatchingUp(NOON, plus(NOON, HOUR + MICROSECOND))).to.equal(true);
  });

  it('take one permit for each 500 items, and for none', () => {
    expect([0, 1, 500, 501, 1_000, 1_001].map(permitsFor)).to.deep.equal([1, 1, 1, 2, 2, 3]);
  });
});
