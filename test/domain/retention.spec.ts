import { expect } from 'chai';
import { DAY, plus } from '../../src/domain/moment.js';
import { EXPIRING_TABLES, expiredSince } from '../../src/domain/retention.js';
import { NOON } from '../support/objects/builders.js';

describe('Retention', () => {
  it('keeps the rows of each table for its time', () => {
    const days = EXPIRING_TABLES.map((table) => [table, expiredSince(table, NOON)] as const);
    expect(Object.fromEntries(days)).to.deep.equal({
      one_time_token: NOON,
      session: NOON,
      usage: plus(NOON, -31 * DAY),
      notice: plus(NOON, -30 * DAY),
      payment_event: plus(NOON, -90 * DAY),
    });
  });
});
