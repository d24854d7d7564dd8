import { expect } from 'chai';
import { eventOf, isDelivery, isSlow, slowWorkers } from '../../../src/domain/destinations/delivery.js';
import { MINUTE } from '../../../src/domain/moment.js';

const attempt = (status: number | null, durationMs = 5) => ({
  status,
  error: status === null ? ('timed_out' as const) : null,
  retryAfter: null,
  durationMs,
});

describe('The outcome of a try', () => {
  it('is a delivery only with a status from 200 to 299', () => {
    const statuses = [199, 200, 204, 299, 300, 301, 400, 410, 500, null];
    expect(statuses.filter((status) => isDelivery({ status }))).to.deep.equal([200, 204, 299]);
  });

  it('is gone with 410, and a failure otherwise, with the delay that the receiver asked for', () => {
    expect(eventOf(attempt(204), 0)).to.deep.equal({ event: 'delivered' });
    expect(eventOf(attempt(410), 0)).to.deep.equal({ event: 'gone' });
    expect(eventOf({ ...attempt(429), retryAfter: MINUTE }, 0.5)).to.deep.equal({
      event: 'failed',
      retryAfter: MINUTE,
      jitter: 0.5,
    });
    expect(eventOf(attempt(null), 0)).to.deep.include({ event: 'failed' });
    expect(eventOf({ ...attempt(null), error: 'own_fault' }, 0)).to.equal(null);
  });

  it('takes a worker of the slow ones if it failed or took over a second', () => {
    expect([attempt(204), attempt(204, 1_001), attempt(500)].map(isSlow)).to.deep.equal([false, true, true]);
    expect([1, 4, 50].map(slowWorkers)).to.deep.equal([1, 1, 12]);
  });
});
