import { expect } from 'chai';
import { compose, type Parts } from '../../src/composition/compose.js';
import { NOON } from '../support/objects/builders.js';
import { settings } from '../support/service/composed.js';

describe('The list of parts', () => {
  const config = settings({ TEST_CLOCK: '1', LOG_LEVEL: 'silent' });
  const names = compose(config).names as readonly (keyof Parts)[];

  it('has at least the ports, the use cases and the listeners', () => {
    expect(names).to.include.members(['clock', 'gate', 'readFeed', 'publicApi']);
  });

  for (const name of names) {
    it(`makes ${name} once for each composition`, () => {
      const { parts } = compose(config);
      expect(parts[name]).to.equal(parts[name]);
    });
  }

  it('shares nothing that holds state between two compositions', () => {
    const [one, other] = [compose(config).parts, compose(config).parts];
    const shared = names.filter((name) => one[name] === other[name]);
    // The settings; functions of nothing but their arguments, of which there is one each; and what these settings leave out.
    expect(shared).to.have.members([
      'config',
      'plans',
      'abuseRules',
      'anonymousPerMinute',
      'ids',
      'hashKey',
      'secrets',
      'redis',
      'database',
      'isSigned',
      'billingPortal',
      'checkoutUrl',
      'referenceSigner',
      'openPortal',
      'pretend',
      'processor',
    ]);
  });

  it('lets a test replace a part, for all that are made of it', async () => {
    const { parts } = compose(config, () => ({ clock: () => () => NOON }));
    expect(parts.clock()).to.equal(NOON);

    const fault = new Error('replaced');
    const broken = compose(config, () => ({
      feed: () => ({
        publish: () => Promise.reject(fault),
        retract: () => Promise.reject(fault),
        page: () => Promise.reject(fault),
        find: () => Promise.reject(fault),
        changesSince: () => Promise.reject(fault),
      }),
    }));
    const query = { limit: 1, cursor: null, since: null, newsId: null, marketId: null };
    const thrown = await Promise.resolve(broken.parts.readFeed(query)).catch((caught: unknown) => caught);
    expect(thrown).to.equal(fault);
  });

  it('goes by the last word on a part, and never makes what was replaced', () => {
    const { parts } = compose(
      config,
      () => ({ tokens: () => expect.fail('replaced') }),
      () => ({ tokens: () => ({ operator: 'o', publisher: 'p' }) }),
    );
    expect(parts.tokens).to.deep.equal({ operator: 'o', publisher: 'p' });
  });

  it('lets a part be made of the others', () => {
    const { parts } = compose(config, (others) => ({
      clock: () => () => NOON,
      tokens: () => ({ operator: others.clock(), publisher: 'p' }),
    }));
    expect(parts.tokens.operator).to.equal(NOON);
  });

  it('lets a part be wrapped: what is read before it is replaced is the one of before', async () => {
    const asked: unknown[] = [];
    const { parts } = compose(config, ({ readFeed }) => ({
      readFeed: () => (query) => {
        asked.push(query);
        return readFeed(query);
      },
    }));
    const query = { limit: 1, cursor: null, since: null, newsId: null, marketId: null };
    const { page } = await parts.readFeed(query);
    expect([asked, page.items]).to.deep.equal([[query], []]);
  });

  it('has no part to be replaced under a name that no layer gives', () => {
    const misspelt = { clok: () => () => NOON };
    expect(() => compose(config, () => misspelt as object)).to.throw('no part clok');
  });

  it('has no way to move the clock without TEST_CLOCK=1 (D5)', () => {
    const { parts } = compose(settings({ LOG_LEVEL: 'silent' }));
    expect(() => parts.advanceClock).to.throw('TEST_CLOCK=1');
  });

  it('closes in reverse order, one after the other', async () => {
    const done: string[] = [];
    const { close } = compose(config, (_, { closing }) => {
      closing(async () => {
        done.push('first made');
      });
      closing(async () => {
        await Promise.resolve();
        await Promise.resolve();
        done.push('last made');
      });
      return {};
    });
    await close();
    expect(done).to.deep.equal(['last made', 'first made']);
  });
});
