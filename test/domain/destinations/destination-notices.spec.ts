import { expect } from 'chai';
import { destinationNotices } from '../../../src/domain/destinations/destination-notices.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { aDestination } from '../../support/destinations/destinations.js';
import { NOON } from '../../support/objects/builders.js';

const OWNER = { email: 'owner@example.org' };
const FAILING = { status: 'failing', since: NOON, tries: 5, nextAt: plus(NOON, HOUR) } as const;

describe('Mails about a destination', () => {
  it('have one occasion for each failure, however often it is seen', () => {
    const destination = aDestination({ state: FAILING });
    const occasions = [1, 2, 3].map(
      (hours) => destinationNotices(destination, FAILING, OWNER, plus(NOON, hours * HOUR))[0]?.occasion,
    );
    expect(new Set(occasions)).to.deep.equal(new Set([`destination_failing/${destination.id}/${NOON}`]));
  });

  it('say since when it failed when it is disabled', () => {
    const disabled = { status: 'disabled', cause: 'failed', at: plus(NOON, HOUR), reason: null } as const;
    const destination = aDestination({ state: FAILING });
    expect(destinationNotices(destination, disabled, OWNER, plus(NOON, HOUR))).to.deep.equal([
      {
        to: OWNER.email,
        occasion: `destination_disabled/${destination.id}/${NOON}`,
        news: {
          kind: 'destination_disabled',
          destination: { label: 'Desk', kind: 'webhook' },
          cause: 'failed',
          since: NOON,
        },
      },
    ]);
  });

  it('are none when something was delivered', () => {
    expect(destinationNotices(aDestination(), { status: 'active' }, OWNER, NOON)).to.deep.equal([]);
  });
});
