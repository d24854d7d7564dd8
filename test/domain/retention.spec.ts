import { expect } from 'chai';
import { DAY, plus } from '../../src/domain/moment.js';
import { EXPIRING_TABLES, expiryOf } from '../../src/domain/retention.js';
import { NOON } from '../support/objects/builders.js';

describe('Retention', () => {
  it('keeps the rows of each table for its time', () => {
    const expiries = EXPIRING_TABLES.map((table) => [table, expiryOf(table, NOON)] as const);
    expect(Object.fromEntries(expiries)).to.deep.equal({
      one_time_token: { until: NOON, newestKept: 0 },
      session: { until: NOON, newestKept: 0 },
      usage: { until: plus(NOON, -31 * DAY), newestKept: 0 },
      notice: { until: plus(NOON, -30 * DAY), newestKept: 0 },
      payment_event: { until: plus(NOON, -90 * DAY), newestKept: 0 },
      account_change: { until: plus(NOON, -DAY), newestKept: 1 },
      request_log: { until: plus(NOON, -DAY), newestKept: 0 },
      destination_delivery: { until: plus(NOON, -7 * DAY), newestKept: 0 },
    });
  });
});
