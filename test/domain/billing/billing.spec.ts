import { expect } from 'chai';
import { rulingSubscription, stateOf } from '../../../src/domain/billing/billing.js';
import {
  type PaymentFacts,
  PROCESSOR_STATUSES,
  type ProcessorStatus,
  type SubscriptionFacts,
} from '../../../src/domain/billing/payment-event.js';
import { DAY, MICROSECOND, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const statusFacts = (status: ProcessorStatus, trialEndsAt: Moment | null = null): SubscriptionFacts => ({
  startedAt: NOON,
  status: { value: status, at: NOON, rank: 0, event: 'evt' },
  plan: null,
  terms: { value: { trialEndsAt, periodEndsAt: null }, at: NOON, rank: 0, event: 'evt' },
});

const at = (seconds: number): Moment => plus(NOON, seconds * SECOND);

describe('A subscription at the processor', () => {
  it('is mapped as D27 says; an overdue one is served, unless the setting refuses it', () => {
    const read = Object.fromEntries(
      PROCESSOR_STATUSES.map((status) => [status, stateOf(statusFacts(status), 'serve', NOON)]),
    );
    expect(read).to.deep.equal({
      trialing: 'trialing',
      active: 'active',
      past_due: 'active',
      incomplete: 'incomplete',
      paused: 'paused',
      unpaid: 'unpaid',
      incomplete_expired: 'canceled',
      canceled: 'canceled',
    });
    expect(stateOf(statusFacts('past_due'), 'refuse', NOON)).to.equal('unpaid');
    expect(stateOf(statusFacts('active'), 'refuse', NOON)).to.equal('active');
  });

  it('is incomplete a day after its trial ended without an event, not before; an event decides at any time', () => {
    const trial = (now: Moment) => stateOf(statusFacts('trialing', at(60)), 'serve', now);
    const end = plus(at(60), DAY);
    expect([trial(at(61)), trial(plus(end, -MICROSECOND)), trial(end)]).to.deep.equal([
      'trialing',
      'trialing',
      'incomplete',
    ]);
    expect(stateOf(statusFacts('active', at(60)), 'serve', end)).to.equal('active');
    expect(stateOf(statusFacts('trialing'), 'serve', end)).to.equal('trialing');
  });

  type Row = readonly [id: string, startedAt: number, status: ProcessorStatus];
  const facts = (list: readonly Row[]): PaymentFacts => ({
    subscriptions: Object.fromEntries(
      list.map(([id, startedAt, status]) => [id, { ...statusFacts(status), startedAt: at(startedAt) }]),
    ),
    invoices: {},
  });
  const ruling = (...list: readonly Row[]) => rulingSubscription(facts(list))?.id ?? null;

  // biome-ignore format: a table is read by its columns
  const RULING: readonly (readonly [title: string, list: readonly Row[], ruling: string | null])[] = [
    ['the newest of two that are served',                [['old', 1, 'active'], ['new', 2, 'past_due']],       'new'],
    ['the older, if the newer has ended',                [['old', 1, 'active'], ['new', 2, 'canceled']],       'old'],
    ['the older that is served beside a new checkout',   [['old', 1, 'active'], ['new', 2, 'incomplete']],     'old'],
    ['the older that is served beside a paused one',     [['old', 1, 'trialing'], ['new', 2, 'paused']],       'old'],
    ['the older in dunning beside an unpaid one',        [['old', 1, 'past_due'], ['new', 2, 'unpaid']],       'old'],
    ['the newest, if none is served',                    [['old', 1, 'unpaid'], ['new', 2, 'paused']],         'new'],
    ['a new checkout, if the older one has ended',       [['old', 1, 'canceled'], ['new', 2, 'incomplete']],   'new'],
    ['the newest, if all have ended',                    [['old', 1, 'canceled'], ['new', 2, 'canceled']],     'new'],
    ['the one that was served, if all have ended',       [['old', 1, 'canceled'], ['new', 2, 'incomplete_expired']], 'old'],
    ['none, if the only checkout is not paid',           [['new', 2, 'incomplete']],                           null],
    ['none, if two checkouts were never paid',           [['old', 1, 'incomplete_expired'], ['new', 2, 'incomplete']], null],
    ['none without any',                                 [],                                                   null],
  ];
  for (const [title, list, expected] of RULING) {
    it(`that rules is ${title} (D27)`, () => {
      expect(ruling(...list)).to.equal(expected);
      expect(ruling(...list.toReversed())).to.equal(expected);
    });
  }

  it('is chosen by its id if two began in the same second', () => {
    expect(ruling(['a', 1, 'active'], ['b', 1, 'active'])).to.equal('b');
    expect(ruling(['b', 1, 'active'], ['a', 1, 'active'])).to.equal('b');
  });
});
