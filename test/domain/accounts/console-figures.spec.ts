import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  ALERT_ABOVE,
  type ConsoleFigures,
  isAlarming,
} from '../../../src/domain/accounts/console-figures.js';
import { HOUR, MICROSECOND, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const QUIET: ConsoleFigures = {
  ...{ newestItem: NOON, failedEvents: 0, waitingEvents: 9, blockedAccounts: 9, failingDestinations: 9 },
};

describe('The figures of the console', () => {
  it('have the thresholds of the alerts', () => {
    const alerts = readFileSync('ops/alerts.yml', 'utf8');
    expect(alerts).to.include(
      `oddswire_feed_head_age_seconds{job="oddswire"}) > ${ALERT_ABOVE.newestItem}\n`,
    );
    expect(alerts).to.include(
      `oddswire_payment_events_total{job="oddswire",state="failed"}[30m])) > ${ALERT_ABOVE.failedEvents}\n`,
    );
  });

  it('are alarming beyond their threshold, and never without one', () => {
    const alarming = (figures: ConsoleFigures, now = NOON) =>
      (Object.keys(figures) as (keyof ConsoleFigures)[]).filter((name) => isAlarming(figures, name, now));
    expect(alarming(QUIET, plus(NOON, HOUR))).to.deep.equal([]);
    expect(alarming(QUIET, plus(NOON, HOUR + MICROSECOND))).to.deep.equal(['newestItem']);
    expect(alarming({ ...QUIET, failedEvents: 1 })).to.deep.equal(['failedEvents']);
    expect(alarming({ ...QUIET, newestItem: null })).to.deep.equal([]);
  });
});
