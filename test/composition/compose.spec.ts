import { expect } from 'chai';
import { compose } from '../../src/composition/container.js';
import * as parts from '../../src/composition/parts.js';
import {
  ADVANCE_CLOCK,
  CLOCK,
  FEED_STORE,
  READ_FEED,
  TOKENS,
  type Token,
} from '../../src/composition/parts.js';
import { NOON } from '../support/objects/builders.js';
import { settings } from '../support/service/composed.js';

/** All of them; which type each gives does not matter here. */
const tokens = Object.entries(parts as unknown as Readonly<Record<string, Token<object>>>);

describe('The list of parts', () => {
  const config = settings({ TEST_CLOCK: '1', LOG_LEVEL: 'silent' });

  it('has at least the ports, the use cases and the listeners', () => {
    expect(tokens.map(([name]) => name)).to.include.members(['CLOCK', 'GATE', 'READ_FEED', 'PUBLIC_API']);
  });

  for (const [name, token] of tokens) {
    it(`makes ${name} once for each composition`, () => {
      const { get } = compose(config);
      expect(get(token)).to.equal(get(token));
    });
  }

  it('shares nothing that holds state between two compositions', () => {
    const [one, other] = [compose(config), compose(config)];
    const shared = tokens.filter(([, token]) => one.get(token) === other.get(token)).map(([name]) => name);
    // Functions of nothing but their arguments, of which there is one each; and what these settings leave out.
    expect(shared).to.have.members([
      'IDS',
      'HASH_KEY',
      'SECRETS',
      'IS_SIGNED',
      'BILLING_PORTAL',
      'CHECKOUT_URL',
      'REFERENCE_SIGNER',
      'OPEN_PORTAL',
      'PRETEND',
      'PROCESSOR',
    ]);
  });

  it('lets a test replace a part, for all that are made of it', async () => {
    const { get } = compose(config, ({ part }) => part(CLOCK, () => () => NOON));
    expect(get(CLOCK)()).to.equal(NOON);

    const fault = new Error('replaced');
    const broken = compose(config, ({ part }) =>
      part(FEED_STORE, () => ({
        place: () => Promise.reject(fault),
        retract: () => Promise.reject(fault),
        page: () => Promise.reject(fault),
        find: () => Promise.reject(fault),
        changesSince: () => Promise.reject(fault),
      })),
    );
    const query = { limit: 1, cursor: null, since: null, newsId: null, marketId: null };
    const thrown = await broken
      .get(READ_FEED)(query)
      .catch((caught: unknown) => caught);
    expect(thrown).to.equal(fault);
  });

  it('goes by the last word on a part, and never makes what was replaced', () => {
    const { get } = compose(config, ({ part }) => {
      part(TOKENS, () => expect.fail('replaced'));
      part(TOKENS, () => ({ operator: 'o', publisher: 'p' }));
    });
    expect(get(TOKENS)).to.deep.equal({ operator: 'o', publisher: 'p' });
  });

  it('lets a part be made of the others', () => {
    const { get } = compose(config, (wiring) => {
      wiring.part(CLOCK, () => () => NOON);
      wiring.part(TOKENS, () => ({ operator: wiring.get(CLOCK)(), publisher: 'p' }));
    });
    expect(get(TOKENS).operator).to.equal(NOON);
  });

  it('has no way to move the clock without TEST_CLOCK=1 (D5)', () => {
    const { get } = compose(settings({ LOG_LEVEL: 'silent' }));
    expect(() => get(ADVANCE_CLOCK)).to.throw('TEST_CLOCK=1');
  });

  it('closes in reverse order, one after the other', async () => {
    const done: string[] = [];
    const { close } = compose(config, ({ closing }) => {
      closing(async () => {
        done.push('first made');
      });
      closing(async () => {
        await Promise.resolve();
        await Promise.resolve();
        done.push('last made');
      });
    });
    await close();
    expect(done).to.deep.equal(['last made', 'first made']);
  });
});
