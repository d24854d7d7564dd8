import { expect } from 'chai';
import { nextRetryOf } from '../../../src/domain/billing/failed-invoice.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { moment } from '../../support/objects/builders.js';

const NOW = moment('2026-12-09T12:00:00Z');

describe('The next retry of an invoice', () => {
  it('is expected until its time has passed, and is then not known: nobody has reported it', () => {
    expect(nextRetryOf({ nextRetryAt: NOW }, NOW)).to.deep.equal({ status: 'expected', at: NOW });
    const before = plus(NOW, -MICROSECOND);
    expect(nextRetryOf({ nextRetryAt: before }, NOW)).to.deep.equal({ status: 'not_reported' });
    expect(nextRetryOf({ nextRetryAt: null }, NOW)).to.deep.equal({ status: 'none' });
  });
});
