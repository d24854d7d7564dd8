import { expect } from 'chai';
import fc from 'fast-check';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import {
  ABUSE_RULES,
  flagAbuse,
  networksOf,
  refusalsOf,
  setMonitoring,
  tooManyNetworks,
  tooManyRefusals,
} from '../../../src/domain/limits/abuse.js';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import {
  account,
  auditContext,
  countedState,
  issued,
  keyId,
  NOON,
  runs,
} from '../../support/objects/builders.js';

const { subscription } = account();
const at = (minutes: number) => plus(NOON, minutes * MINUTE);

/** Contract section 3.1. */
describe('Abuse', () => {
  it('is the use of one key from more than 100 networks within 10 minutes', () => {
    expect(tooManyNetworks(100, ABUSE_RULES)).to.equal(null);
    expect(tooManyNetworks(101, ABUSE_RULES)).to.equal(
      'more than 100 client networks with one key within 10 minutes',
    );
  });

  it('is more refusals than 20 times the quota a minute, and more than 5 000: a busy paying client is no abuser', () => {
    const flags = (count: number, perMinute: number) =>
      tooManyRefusals(count, perMinute, ABUSE_RULES) !== null;
    const { free, builder, pro } = PLANS;
    expect([flags(5_000, free.requestsPerMinute), flags(5_001, free.requestsPerMinute)]).to.deep.equal([
      false,
      true,
    ]);
    expect([
      flags(12_000, builder.requestsPerMinute),
      flags(12_001, builder.requestsPerMinute),
    ]).to.deep.equal([false, true]);
    expect([flags(60_000, pro.requestsPerMinute), flags(60_001, pro.requestsPerMinute)]).to.deep.equal([
      false,
      true,
    ]);
  });

  it('is monitored over the current minute and the nine before it', () => {
    const window = networksOf(
      keyId('k1'),
      { ...subscription, monitoring: { isOn: true, since: at(-60) } },
      at(0),
    );
    expect(window.counters).to.have.length(10);
    expect(new Set(window.counters).size).to.equal(10);
    const next = networksOf(
      keyId('k1'),
      { ...subscription, monitoring: { isOn: true, since: at(-60) } },
      at(1),
    );
    expect(next.counters.slice(1)).to.deep.equal(window.counters.slice(0, 9));
  });

  it('is monitored only from the start of monitoring', () => {
    const monitoredWindow = { ...subscription, monitoring: { isOn: true, since: at(0) } };
    expect(refusalsOf(subscription.id, monitoredWindow, at(0)).counters).to.have.length(1);
    expect(refusalsOf(subscription.id, monitoredWindow, at(3)).counters).to.have.length(4);
    expect(refusalsOf(subscription.id, monitoredWindow, at(30)).counters).to.have.length(10);
    const restarted = { ...subscription, monitoring: { isOn: true, since: at(2) } };
    const [before, after] = [monitoredWindow, restarted].map(
      (one) => refusalsOf(subscription.id, one, at(3)).counters,
    );
    expect(after?.filter((name) => before?.includes(name))).to.deep.equal([]);
  });

  it('has its counters of one subject on one node of a cluster, and they outlive their window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (seconds) => {
        const { counters, lifetimeSeconds } = networksOf(
          keyId('k1'),
          subscription,
          plus(NOON, seconds * SECOND),
        );
        expect(new Set(counters.map((name) => /\{(.+)\}/.exec(name)?.[1])).size).to.equal(1);
        expect(lifetimeSeconds).to.be.greaterThan(10 * 60);
      }),
      runs(200),
    );
  });

  describe('that is detected', () => {
    const start = () => issued(account(), NOON, 'k1');
    const flagged = (from = start(), since = from.subscription.monitoring.since) =>
      flagAbuse(from, since, { ...auditContext(at(5), 'service'), reason: 'too many' });

    it('suspends the subscription, and the reason is recorded (D25)', () => {
      const { next, entries } = flagged();
      expect(countedState(next, 'k1')).to.deep.equal({ status: 'suspended', causes: ['abuse'] });
      expect(entries).to.deep.equal([
        { actor: 'service', reason: 'too many', at: at(5), event: 'abuse_detected', key: null },
      ]);
    });

    it('suspends only once', () => {
      expect(flagged(flagged().next).entries).to.deep.equal([]);
    });

    it('is cleared by an operator, and earlier counts do not suspend again', () => {
      const flag = flagged().next;
      const released = applyToSubscription(flag, 'abuse_cleared', auditContext(at(6), 'operator')).next;
      expect(countedState(released, 'k1')).to.deep.equal({ status: 'active' });
      expect(released.subscription.monitoring.since).to.equal(at(6));
      expect(flagged(released, flag.subscription.monitoring.since).entries).to.deep.equal([]);
      expect(flagged(released).entries).to.have.length(1);
    });

    it('does not suspend while detection is turned off', () => {
      const off = setMonitoring(start(), false, auditContext(at(1), 'operator')).next;
      expect(flagged(off).entries).to.deep.equal([]);
      const on = setMonitoring(off, true, auditContext(at(2), 'operator')).next;
      expect(on.subscription.monitoring).to.deep.equal({ isOn: true, since: at(2) });
      expect(flagged(on).entries).to.have.length(1);
    });
  });
});
