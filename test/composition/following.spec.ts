import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { ChangeEntry } from '../../src/adapters/live/changes/change-entry.js';
import { jsonLog } from '../../src/adapters/system/json-log.js';
import type { AccountChange } from '../../src/application/ports/change-logs.js';
import { Hooks } from '../../src/composition/container/hooks.js';
import { fillAtStart } from '../../src/composition/following.js';
import { FIRST_MOMENT } from '../../src/domain/moment.js';
import type { Environment } from '../../src/settings/environment.js';
import { freshSchema } from '../support/servers/stores.js';
import { type Composed, composed, keyHolder, publish } from '../support/service/composed.js';
import { until } from '../support/until.js';

type Where = { readonly environment: Environment; readonly close: () => Promise<void> };

const STORES: Readonly<Record<string, () => Promise<Where>>> = {
  'in memory': async () => ({ environment: {}, close: async () => {} }),
  'in Postgres': async () => {
    const { url, close } = await freshSchema();
    return { environment: { DATABASE_URL: url }, close };
  },
};

const numberOf = ({ parts }: Composed): number => {
  const state = parts.liveFeed.state;
  return state === null ? -1 : state.position.n;
};
/** The ids and kinds of the entries from `n` on that are found without a read. */
const entriesFrom = (service: Composed, n: number): readonly string[] => {
  const entry = service.parts.liveFeed.entry(n);
  if (!(entry instanceof ChangeEntry)) return [];
  return [`${entry.change.kind} ${entry.id}`, ...entriesFrom(service, n + 1)];
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`The live feed of a process with stores ${name}`, () => {
    let where: Where;
    let service: Composed;
    beforeEach(async () => {
      where = await open();
      service = await composed({ ...where.environment, LOG_LEVEL: 'error' });
    });
    afterEach(async () => {
      await service.stop();
      await where.close();
    });

    it('is known before the process listens', () => {
      expect([numberOf(service), service.parts.liveFeed.state?.head]).to.deep.equal([0, null]);
    });

    it('has each change with its item soon after it was made, without a read of the log', async () => {
      const heard: string[] = [];
      service.parts.liveFeed.onEntries((entries) => heard.push(...entries.map(({ id }) => `${id}`)));
      await publish(service, 'a', 'b');
      await service.parts.feed.retract('a');
      await until(3, () => numberOf(service));
      expect(heard).to.deep.equal(['a', 'b', 'a']);
      expect(entriesFrom(service, 1)).to.deep.equal(['published a', 'published b', 'retracted a']);
      const { items } = await service.parts.feedHistory.itemsAfter(FIRST_MOMENT, 10);
      expect(service.parts.liveFeed.state?.head).to.equal(items[0]?.scoredAt);
    });

    it('learns of changed accounts, after the gate returns their new state', async () => {
      const { parts } = service;
      const { key } = await keyHolder(service);
      await parts.gate.find(key.hash);
      const heard: AccountChange[] = [];
      const states: unknown[] = [];
      parts.accountChanges.onChange((change) => {
        heard.push(change);
        states.push(Promise.resolve(parts.gate.find(key.hash)).then((entry) => entry?.key.state.status));
      });
      await parts.revokeKey(key.id, 'manual', null, 'test');
      // The change that made the key can be heard here too, before that of the revocation.
      await until(true, async () => (await Promise.all(states)).includes('revoked'));
      expect(heard.some(({ keys }) => keys !== 'all' && keys.includes(key.hash))).to.equal(true);
    });
  });
}

describe('The read of the newest changes at the start', () => {
  it('leaves no listener on the signal that ends the start', async () => {
    const hooks = new Hooks();
    const { signal } = new AbortController();
    fillAtStart(() => ({ fill: async () => {} }), { log: jsonLog('error') }, hooks);
    await hooks.open(signal);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });
});

describe('The live feed of a process that starts on a feed with changes', () => {
  it('has the newest ones before the process listens', async () => {
    const { url, close } = await freshSchema();
    const environment = { DATABASE_URL: url, LOG_LEVEL: 'error' };
    const first = await composed(environment);
    await publish(first, 'a', 'b', 'c');
    await first.stop();
    const second = await composed(environment);
    expect(entriesFrom(second, 0)).to.deep.equal(['start null', 'published a', 'published b', 'published c']);
    expect(second.parts.liveFeed.state?.head).to.be.a('string');
    await second.stop();
    await close();
  });
});
