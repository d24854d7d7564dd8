import { expect } from 'chai';
import fc from 'fast-check';
import {
  ACTIVE,
  type DestinationEvent,
  type DestinationState,
  isDelivered,
  isDue,
  MAILED_AFTER,
  mailDue,
  mayOwnerEnable,
  retryDelay,
  stateAfter,
} from '../../../src/domain/destinations/destination-state.js';
import { between, DAY, HOUR, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const FAILED: DestinationEvent = { event: 'failed', retryAfter: null, jitter: 0 };
const STATES: readonly DestinationState[] = [
  ACTIVE,
  { status: 'failing', since: NOON, tries: 2, nextAt: plus(NOON, MINUTE) },
  { status: 'disabled', cause: 'failed', at: NOON, reason: null },
  { status: 'paused', at: NOON },
];
// biome-ignore format: a table is read by its columns
const STATUS_AFTER = {
  active:   { delivered: 'active',   failed: 'failing',  gone: 'disabled', paused: 'paused',   enabled: 'active', disabled: 'disabled' },
  failing:  { delivered: 'active',   failed: 'failing',  gone: 'disabled', paused: 'paused',   enabled: 'active', disabled: 'disabled' },
  disabled: { delivered: 'disabled', failed: 'disabled', gone: 'disabled', paused: 'disabled', enabled: 'active', disabled: 'disabled' },
  paused:   { delivered: 'paused',   failed: 'paused',   gone: 'paused',   paused: 'paused',   enabled: 'active', disabled: 'disabled' },
} as const;
const EVENTS: readonly DestinationEvent[] = [
  { event: 'delivered' },
  FAILED,
  { event: 'gone' },
  { event: 'paused' },
  { event: 'enabled' },
  { event: 'disabled', cause: 'operator', reason: 'asked to' },
];

describe('The state of a destination', () => {
  for (const state of STATES)
    for (const event of EVENTS) {
      const after = STATUS_AFTER[state.status][event.event];
      it(`is ${after} after ${event.event} in ${state.status}`, () => {
        expect(stateAfter(state, event, plus(NOON, SECOND)).status).to.equal(after);
      });
    }

  it('is enabled by its owner, unless an operator has disabled it', () => {
    expect(STATES.filter((state) => !mayOwnerEnable(state))).to.deep.equal([]);
    const byOperator = stateAfter(ACTIVE, { event: 'disabled', cause: 'operator', reason: 'asked to' }, NOON);
    expect(mayOwnerEnable(byOperator)).to.equal(false);
  });

  it('repeats after 5 s, 30 s, 2 min, 10 min, then every 30 min', () => {
    const delays = [1, 2, 3, 4, 5, 6, 100].map((tries) => retryDelay(tries, null, 0) / SECOND);
    expect(delays).to.deep.equal([5, 30, 120, 600, 1_800, 1_800, 1_800]);
  });

  it('obeys a receiver that asks for a longer delay, of an hour at most, and no shorter one', () => {
    expect(retryDelay(1, MINUTE, 0)).to.equal(MINUTE);
    expect(retryDelay(3, SECOND, 0)).to.equal(2 * MINUTE);
    expect(retryDelay(1, DAY, 0)).to.equal(HOUR);
  });

  it('spreads repeats by up to a fifth', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, jitter) => {
          const exact = retryDelay(tries, null, 0);
          expect(retryDelay(tries, null, jitter)).to.be.within(exact, exact * 1.2);
        },
      ),
    ));

  it('is disabled by the first failure after three days, whatever the delays were', () => {
    let state = stateAfter(ACTIVE, FAILED, NOON);
    let now = NOON;
    while (state.status === 'failing') {
      now = state.nextAt;
      state = stateAfter(state, FAILED, now);
    }
    expect(state).to.deep.equal({ status: 'disabled', cause: 'failed', at: now, reason: null });
    expect(between(NOON, now)).to.be.within(3 * DAY, 3 * DAY + 30 * MINUTE);
  });

  it('forgets earlier failures once something was delivered', () => {
    const failing = stateAfter(stateAfter(ACTIVE, FAILED, NOON), FAILED, plus(NOON, DAY));
    const after = stateAfter(
      stateAfter(failing, { event: 'delivered' }, plus(NOON, DAY)),
      FAILED,
      plus(NOON, 2 * DAY),
    );
    expect(after).to.deep.include({ status: 'failing', since: plus(NOON, 2 * DAY), tries: 1 });
  });

  it('is due when active, and when failing at the time of its next try', () => {
    expect(STATES.map((state) => isDue(state, NOON))).to.deep.equal([true, false, false, false]);
    expect(STATES.map((state) => isDue(state, plus(NOON, MINUTE)))).to.deep.equal([true, true, false, false]);
    expect(STATES.map(isDelivered)).to.deep.equal([true, true, false, false]);
  });

  it('causes a mail after an hour of failures, and one when it is disabled', () => {
    const [active = ACTIVE, failing = ACTIVE, disabled = ACTIVE, paused = ACTIVE] = STATES;
    expect(mailDue(active, failing, plus(NOON, MAILED_AFTER - 1))).to.equal(null);
    expect(mailDue(failing, failing, plus(NOON, MAILED_AFTER))).to.equal('failing');
    expect(mailDue(failing, disabled, NOON)).to.equal('disabled');
    expect(mailDue(disabled, disabled, NOON)).to.equal(null);
    expect(mailDue(failing, paused, plus(NOON, DAY))).to.equal(null);
    expect(mailDue(failing, active, plus(NOON, DAY))).to.equal(null);
    const left = stateAfter(active, { event: 'disabled', cause: 'unsubscribed', reason: null }, NOON);
    expect(mailDue(active, left, NOON)).to.equal(null);
  });
});
