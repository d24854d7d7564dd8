import { expect } from 'chai';
import { MemoryAbuseSignals } from '../../../src/adapters/memory/limits/memory-abuse-signals.js';
import { monitorAccount } from '../../../src/application/accounts/monitor-account.js';
import type { IssuedKey } from '../../../src/application/keys/fresh-key.js';
import { DetectAbuse } from '../../../src/application/limits/detect-abuse.js';
import { Unwritable } from '../../../src/application/unavailable.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { PLANS, type PlanName } from '../../../src/domain/billing/plan.js';
import { ABUSE_RULES, type AbuseRules } from '../../../src/domain/limits/abuse.js';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, type InMemory } from '../../support/service/accounts.js';
import { unavailability } from '../../support/service/faults.js';

describe('The detection of abuse', () => {
  let service: InMemory;
  let detect: DetectAbuse;
  const start = (abuseRules: AbuseRules = ABUSE_RULES) => {
    service = accountsInMemory();
    const clock = () => service.clock.at;
    detect = new DetectAbuse({
      accounts: service.accounts,
      abuseSignals: new MemoryAbuseSignals(clock),
      clock,
      plans: PLANS,
      abuseRules,
    });
  };
  beforeEach(() => start());

  const causes = async ({ account }: IssuedKey) => {
    const suspension = (await service.accounts.find(account.id))?.subscription.suspension;
    return suspension?.status === 'suspended' ? suspension.causes : [];
  };
  /** A request with the key, with its current subscription, from the nth network. */
  const seen = async ({ account, key }: IssuedKey, network: number, isRefused = false) => {
    const subscription = (await service.accounts.find(account.id))?.subscription;
    if (subscription !== undefined) detect.note(key.id, subscription, `10.${network}.0.0/24`, isRefused);
  };
  const from = async (holder: IssuedKey, first: number, last: number) => {
    for (let network = first; network < last; network += 1) await seen(holder, network);
    await detect.scan();
  };
  const refused = async (holder: IssuedKey, times: number) => {
    const { account, key } = holder;
    for (let i = 0; i < times; i += 1) detect.note(key.id, account.subscription, '10.0.0.0/24', true);
    await detect.scan();
  };
  const holder = (plan: PlanName = 'pro') => aHolder(service, plan);

  it('suspends a subscription for use from more than 100 networks within 10 minutes, with the reason', async () => {
    const one = await holder();
    await from(one, 0, 60);
    service.clock.at = plus(NOON, 9 * MINUTE);
    await from(one, 40, 100);
    expect(await causes(one)).to.deep.equal([]);
    await from(one, 100, 101);
    expect(await causes(one)).to.deep.equal(['abuse']);
    expect((await service.accounts.auditOf(one.account.id)).at(-1)).to.include({
      actor: 'service',
      event: 'abuse_detected',
      reason: 'more than 100 client networks with one key within 10 minutes',
    });
  });

  it('ignores older use', async () => {
    const one = await holder();
    await from(one, 0, 60);
    service.clock.at = plus(NOON, 11 * MINUTE);
    await from(one, 60, 120);
    expect(await causes(one)).to.deep.equal([]);
  });

  it('counts each key separately, and suspends their common subscription', async () => {
    const one = await holder();
    const second = accepted(await service.issueKey(one.account.id, null, 'customer'));
    await from(one, 0, 60);
    await from(second, 60, 120);
    expect(await causes(one)).to.deep.equal([]);
    await from(second, 120, 170);
    expect(await causes(one)).to.deep.equal(['abuse']);
  });

  it('suspends after 20 times the quota a minute in refusals, and no busy paying client', async () => {
    const [free, builder] = [await holder('free'), await holder('builder')];
    await refused(free, 5_000);
    await refused(builder, 12_000);
    expect([await causes(free), await causes(builder)]).to.deep.equal([[], []]);
    await refused(free, 1);
    await refused(builder, 1);
    expect([await causes(free), await causes(builder)]).to.deep.equal([['abuse'], ['abuse']]);
  });

  it('starts again once an operator has cleared the abuse', async () => {
    const one = await holder();
    await from(one, 0, 101);
    service.clock.at = plus(NOON, MINUTE);
    await service.hold.onSubscription(
      one.account.id,
      'abuse_cleared',
      'a scraper of their own' as Reason,
      'operator',
    );
    await from(one, 0, 100);
    expect(await causes(one)).to.deep.equal([]);
    await from(one, 100, 101);
    expect(await causes(one)).to.deep.equal(['abuse']);
  });

  it('can be turned off for an account with many addresses, and on again', async () => {
    const one = await holder();
    const monitoring = monitorAccount({ accounts: service.accounts, clock: () => service.clock.at });
    await monitoring(one.account.id, false, 'a fleet of 500 hosts' as Reason, 'operator');
    await from(one, 0, 200);
    expect(await causes(one)).to.deep.equal([]);
    service.clock.at = plus(NOON, MINUTE);
    await monitoring(one.account.id, true, 'the fleet is gone' as Reason, 'operator');
    await from(one, 0, 100);
    expect(await causes(one)).to.deep.equal([]);
    await from(one, 100, 101);
    expect(await causes(one)).to.deep.equal(['abuse']);
    expect(
      (await service.accounts.auditOf(one.account.id)).map(({ event, reason }) => [event, reason]),
    ).to.deep.include(['abuse_detection_changed', 'off: a fleet of 500 hosts']);
  });

  it('counts every network again if monitoring restarts within a minute', async () => {
    const one = await holder();
    const monitoring = monitorAccount({ accounts: service.accounts, clock: () => service.clock.at });
    await from(one, 0, 60);
    service.clock.at = plus(NOON, SECOND);
    for (const isOn of [false, true])
      await monitoring(one.account.id, isOn, 'a new fleet' as Reason, 'operator');
    await from(one, 0, 100);
    expect(await causes(one)).to.deep.equal([]);
    await from(one, 100, 101);
    expect(await causes(one)).to.deep.equal(['abuse']);
  });

  it('calls the abuse signals once a minute for unchanged use of a key', async () => {
    const counted: (readonly string[])[] = [];
    const clock = () => service.clock.at;
    const abuseSignals = new MemoryAbuseSignals(clock);
    detect = new DetectAbuse({
      accounts: service.accounts,
      abuseSignals: {
        networks: (window, names) => {
          counted.push(names);
          return abuseSignals.networks(window, names);
        },
        refusals: (window, count) => abuseSignals.refusals(window, count),
      },
      clock,
      plans: PLANS,
      abuseRules: ABUSE_RULES,
    });
    const one = await holder();
    await from(one, 0, 2);
    await from(one, 0, 2);
    await from(one, 0, 3);
    expect(counted).to.deep.equal([['10.0.0.0/24', '10.1.0.0/24'], ['10.2.0.0/24']]);
    service.clock.at = plus(NOON, MINUTE);
    await from(one, 0, 2);
    expect(counted).to.have.length(3);
    await from(one, 3, 101);
    expect(await causes(one)).to.deep.equal(['abuse']);
  });

  it('uses the settings', async () => {
    start({ networksMax: 2, refusedMinutes: 1, refusedLeast: 10 });
    const [one, other] = [await holder('free'), await holder('free')];
    await from(one, 0, 3);
    await refused(other, 60);
    expect([await causes(one), await causes(other)]).to.deep.equal([['abuse'], []]);
    await refused(other, 1);
    expect(await causes(other)).to.deep.equal(['abuse']);
  });

  it('counts other keys while a suspension cannot be stored, and suspends within a minute after that', async () => {
    const [one, other] = [await holder(), await holder()];
    const { change } = service.accounts;
    service.accounts.change = () => Promise.reject(new Unwritable('Postgres', 'it is read-only'));
    for (const subject of [one, other]) for (let n = 0; n < 101; n += 1) await seen(subject, n);
    await unavailability(detect.scan());
    service.accounts.change = change;
    service.clock.at = plus(NOON, MINUTE);
    // One more network of each key is enough: the earlier ones are counted.
    for (const subject of [one, other]) await seen(subject, 0);
    await detect.scan();
    expect([await causes(one), await causes(other)]).to.deep.equal([['abuse'], ['abuse']]);
  });
});
