import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import {
  CONCERNS,
  concernsOf,
  DUNNING_SHOWN,
  type Observed,
} from '../../../src/domain/accounts/attention.js';
import type { DestinationId } from '../../../src/domain/destinations/destination.js';
import { DAY, HOUR, MICROSECOND, plus } from '../../../src/domain/moment.js';
import { aDestination } from '../../support/destinations/destinations.js';
import { NOON } from '../../support/objects/builders.js';
import { anOpening } from '../../support/service/accounts.js';

const NONE: Observed = { events: [], due: [], suspected: [], destinations: [], unpaid: [] };
const event = (id: string, state: 'failed' | 'waiting', receivedAt = NOON) => ({
  ...{ id, state, receivedAt },
  ...{ account: null, fault: state === 'failed' ? 'unreadable' : null },
});
const dunned = (id: string, deadline: typeof NOON) => ({
  ...anOpening('pro').next,
  id: id as AccountId,
  dunning: [
    {
      ...{ id: 'in_1', firstFailedAt: plus(deadline, -14 * DAY), failedRetries: 0, nextRetryAt: null },
      ...{ retriesExhaustedAt: null, deadline, confirmedOpenAt: null },
    },
  ],
});
const failing = (id: string, since: typeof NOON) => ({
  ...aDestination(),
  ...{ id: id as DestinationId, account: 'acc_1' as AccountId },
  ...{ createdAt: NOON, filter: '' },
  state: { status: 'failing' as const, since, tries: 2, nextAt: NOON },
});

describe('The concerns of an operator', () => {
  it('come in the order of their kinds, of one kind the one that becomes worse next or is the oldest, of ended dunning the newest', () => {
    const later = plus(NOON, HOUR);
    const observed = {
      events: [event('evt_2', 'failed', later), event('evt_w', 'waiting'), event('evt_1', 'failed')],
      due: [dunned('acc_later', plus(NOON, 2 * DAY)), dunned('acc_sooner', plus(NOON, DAY))],
      suspected: [
        { account: { id: 'acc_unknown' }, since: null },
        { account: { id: 'acc_known' }, since: NOON },
      ],
      destinations: [failing('dst_2', later), failing('dst_1', NOON)],
      unpaid: [
        { account: { id: 'acc_lost' }, since: null },
        { account: { id: 'acc_old' }, since: NOON },
        { account: { id: 'acc_new' }, since: later },
      ],
    } as unknown as Observed;
    const found = concernsOf(observed, NOON).map(({ kind, id, account }) => [kind, id ?? account]);
    expect(found).to.deep.equal([
      ['payment_event_failed', 'evt_1'],
      ['payment_event_failed', 'evt_2'],
      ['payment_event_waiting', 'evt_w'],
      ['dunning_ends', 'acc_sooner'],
      ['dunning_ends', 'acc_later'],
      ['abuse', 'acc_known'],
      ['abuse', 'acc_unknown'],
      ['destination_failing', 'dst_1'],
      ['destination_failing', 'dst_2'],
      ['dunning_ended', 'acc_new'],
      ['dunning_ended', 'acc_old'],
      ['dunning_ended', 'acc_lost'],
    ]);
    expect(new Set(found.map(([kind]) => kind))).to.deep.equal(new Set(CONCERNS));
  });

  it('are none without anything observed', () => {
    expect(concernsOf(NONE, NOON)).to.deep.equal([]);
  });

  it('have a dunning that ends within three days, and no other due work', () => {
    const end = plus(NOON, DUNNING_SHOWN);
    const due = [dunned('acc_in', end), dunned('acc_out', plus(end, MICROSECOND)), anOpening('pro').next];
    const found = concernsOf({ ...NONE, due }, NOON);
    expect(found.map(({ account, until }) => [account, until])).to.deep.equal([['acc_in', end]]);
    expect(found[0]?.since).to.equal(plus(end, -14 * DAY));
  });

  it('have destinations that fail, and none that are disabled', () => {
    const disabled = { ...failing('dst_off', NOON), state: { status: 'paused', at: NOON } };
    const destinations = [disabled, failing('dst_on', NOON)] as unknown as Observed['destinations'];
    expect(concernsOf({ ...NONE, destinations }, NOON).map(({ id }) => id)).to.deep.equal(['dst_on']);
  });
});
