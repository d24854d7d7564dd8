import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import type { IssuedKey } from '../../../src/application/keys/fresh-key.js';
import { admitReader } from '../../../src/application/limits/admit-reader.js';
import { openWindows } from '../../../src/application/limits/open-windows.js';
import { refund } from '../../../src/application/limits/refund.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { SUBSCRIPTION_STATES } from '../../../src/domain/billing/subscription.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { epochSeconds, startOfDay } from '../../../src/domain/moment.js';
import { suspendedBy } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, type InMemory, rewrite } from '../../support/service/accounts.js';

describe('A reader without a key', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const admitting = (counters: Counters = service.counters) =>
    admitReader({
      ...{ counters, clock: () => service.clock.at, openWindows: openWindows({ plans: PLANS }) },
      refund: refund({ counters, refunds: new MemoryCounters(() => service.clock.at) }),
    });
  const withKey = ({ value }: IssuedKey) =>
    service.admitRequest()({
      key: service.keyOf(value),
      address: '192.0.2.1',
      source: '192.0.2.1',
      network: '192.0.2.0/24',
    });
  const become = async ({ account }: IssuedKey, subscription: Partial<Account['subscription']>) =>
    rewrite(service, account.id, (found) => ({
      ...found,
      subscription: { ...found.subscription, ...subscription },
    }));

  it('is refused in the same states of the subscription as a request with an active key', async () => {
    for (const state of SUBSCRIPTION_STATES) {
      for (const causes of [[], ...SUSPENSION_CAUSES.map((cause) => [cause]), [...SUSPENSION_CAUSES]]) {
        const holder = await aHolder(service);
        const account = await become(holder, { state, suspension: suspendedBy(...causes) });
        const admission = await withKey(holder);
        let isRead = false;
        const refusal = await admitting()(account, async () => {
          isRead = true;
        });
        const name = `${state} ${causes}`;
        expect(refusal, name).to.deep.equal(admission.admitted ? null : admission.refusal);
        expect(isRead, name).to.equal(admission.admitted);
      }
    }
  });

  it('takes its permits from the same counters as requests with a key, before it reads (D34)', async () => {
    const holder = await aHolder(service, 'free');
    await withKey(holder);
    const read: number[] = [];
    await admitting()(holder.account, async (limits) => {
      const now = await withKey(holder);
      read.push(...[...limits, ...now.limits].map(({ remaining }) => remaining));
    });
    expect(read).to.deep.equal([58, 4_998, 57, 4_997]);
  });

  it('names a key whose usage shows the permits of the day, in case the counters have lost them (D35)', async () => {
    const { account } = await aHolder(service, 'free');
    let taken: readonly Permit[] = [];
    const counters: Counters = {
      take: (permits, upTo) => {
        taken = permits;
        return service.counters.take(permits, upTo);
      },
      giveBack: (receipt, n) => service.counters.giveBack(receipt, n),
    };
    await admitting(counters)(account, async () => {});
    const since = epochSeconds(startOfDay(service.clock.at));
    expect(taken.map(({ recorded }) => recorded)).to.deep.equal([null, { key: account.keys[0]?.id, since }]);
  });

  it('is admitted exactly 60 times in 200 concurrent calls on the Free plan (D35)', async () => {
    const { account } = await aHolder(service, 'free');
    const admit = admitting();
    const answers = await Promise.all(Array.from({ length: 200 }, () => admit(account, async () => {})));
    expect(answers.filter((refusal) => refusal === null)).to.have.length(60);
    expect(answers.at(-1)).to.deep.equal({
      refused: 'rate_limited',
      violated: ['minute'],
      retryAfterSeconds: 60,
    });
  });

  it('gets its permit back if reading fails, and the fault is rethrown (D34)', async () => {
    const holder = await aHolder(service, 'free');
    const fault = new Unavailable('the feed');
    for (let i = 0; i < 70; i += 1) {
      const thrown = await admitting()(holder.account, () => Promise.reject(fault)).catch(
        (caught: unknown) => caught,
      );
      expect(thrown).to.equal(fault);
    }
    expect((await withKey(holder)).limits.map(({ remaining }) => remaining)).to.deep.equal([59, 4_999]);
  });

  it('gets the fault even if the permit cannot be given back', async () => {
    const { account } = await aHolder(service, 'free');
    const fault = new Error('a bug');
    const counters: Counters = {
      take: (permits, upTo) => service.counters.take(permits, upTo),
      giveBack: () => Promise.reject(new Unavailable('counters')),
    };
    const thrown = await admitting(counters)(account, () => Promise.reject(fault)).catch(
      (caught: unknown) => caught,
    );
    expect(thrown).to.equal(fault);
  });
});
