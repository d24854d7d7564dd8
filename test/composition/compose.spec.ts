import { expect } from 'chai';
import { compose, type Parts } from '../../src/composition/compose.js';
import { NOON } from '../support/objects/builders.js';
import { settings } from '../support/service/composed.js';

const config = settings({ TEST_CLOCK: '1', LOG_LEVEL: 'silent' });
const names = (await compose(config)).names as readonly (keyof Parts)[];

describe('The components of the service', () => {
  it('include the ports, the use cases and the listeners', () => {
    expect(names).to.include.members(['clock', 'gate', 'readFeed', 'publicApi']);
  });

  for (const name of names) {
    it(`include ${name}, created once for each composition`, async () => {
      const { parts } = await compose(config);
      expect(parts[name]).to.equal(parts[name]);
    });
  }

  it('are not shared between two compositions if they have state', async () => {
    const [{ parts: one }, { parts: other }] = await Promise.all([compose(config), compose(config)]);
    const shared = names.filter((name) => one[name] === other[name]);
    // Settings, functions that depend only on their arguments, and components that these settings turn off.
    expect(shared).to.have.members([
      'version',
      'config',
      'plans',
      'abuseRules',
      'anonymousPerMinute',
      'feedChangesKept',
      'publicSandboxKey',
      'ids',
      'hashKey',
      'secrets',
      'redis',
      'database',
      'isSigned',
      'billingPortal',
      'webhookSigner',
      'checkoutUrl',
      'customerPage',
      'referenceSigner',
      'readEventDetails',
      'openPortal',
      'fakePayments',
      'processor',
    ]);
  });

  it('can be replaced by a test, for every component that uses them', async () => {
    const { parts } = await compose(config, () => ({ clock: () => () => NOON }));
    expect(parts.clock()).to.equal(NOON);

    const fault = new Error('replaced');
    const broken = await compose(config, () => ({
      feed: () => ({
        publish: () => Promise.reject(fault),
        retract: () => Promise.reject(fault),
        purge: () => Promise.reject(fault),
        page: () => Promise.reject(fault),
        find: () => Promise.reject(fault),
        raiseHead: () => Promise.reject(fault),
      }),
    }));
    const query = { limit: 1, cursor: null, since: null, newsId: null, marketId: null, terms: [] };
    const thrown = await Promise.resolve(broken.parts.readFeed(query)).catch((caught: unknown) => caught);
    expect(thrown).to.equal(fault);
  });

  it('are created by the last replacement, and never by a replaced factory', async () => {
    const { parts } = await compose(
      config,
      () => ({ tokens: () => expect.fail('replaced') }),
      () => ({ tokens: () => ({ operator: 'o', publisher: 'p' }) }),
    );
    expect(parts.tokens).to.deep.equal({ operator: 'o', publisher: 'p' });
  });

  it('can be replaced by a component that uses other components', async () => {
    const { parts } = await compose(config, (others) => ({
      clock: () => () => NOON,
      tokens: () => ({ operator: others.clock(), publisher: 'p' }),
    }));
    expect(parts.tokens.operator).to.equal(NOON);
  });

  it('can be wrapped: the replacement reads the former component', async () => {
    const asked: unknown[] = [];
    const { parts } = await compose(config, ({ readFeed }) => ({
      readFeed: () => (query) => {
        asked.push(query);
        return readFeed(query);
      },
    }));
    const query = { limit: 1, cursor: null, since: null, newsId: null, marketId: null, terms: [] };
    const { page } = await parts.readFeed(query);
    expect([asked, page.items]).to.deep.equal([[query], []]);
  });

  it('cannot be replaced under a name that no layer registers', async () => {
    const misspelt = { clok: () => () => NOON };
    const fault = await compose(config, () => misspelt as object).catch((thrown: unknown) => thrown);
    expect(String(fault)).to.include('cannot replace clok');
  });

  it('cannot advance the clock without TEST_CLOCK=1 (D5)', async () => {
    const { parts } = await compose(settings({ LOG_LEVEL: 'silent' }));
    expect(() => parts.advanceClock).to.throw('TEST_CLOCK=1');
  });

  it('are closed in reverse order, one after the other', async () => {
    const done: string[] = [];
    const { close } = await compose(config, (_, { closing }) => {
      closing(async () => {
        done.push('first created');
      });
      closing(async () => {
        await Promise.resolve();
        await Promise.resolve();
        done.push('last created');
      });
      return {};
    });
    await close();
    expect(done).to.deep.equal(['last created', 'first created']);
  });
});
