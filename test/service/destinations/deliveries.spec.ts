import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { SubscriptionState } from '../../../src/domain/billing/subscription.js';
import { DAY, HOUR, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import type { destinationsOf } from '../../support/destinations/composed-destinations.js';
import { deliveringService } from '../../support/destinations/delivering-service.js';
import { isSigned } from '../../support/destinations/webhook-receiver.js';
import { accepted, publication, timedNow } from '../../support/objects/builders.js';
import { type Composed, keyHolder, publish, rewrite } from '../../support/service/composed.js';
import { until } from '../../support/until.js';

describe('Deliveries to destinations', () => {
  const { receiver, publishNew, ...delivering } = deliveringService();
  let service: Composed;
  let destinations: ReturnType<typeof destinationsOf>;
  beforeEach(() => {
    service = delivering.service();
    destinations = delivering.destinations();
  });

  it('begin when a test was answered, and are signed', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    hook.answering = 500;
    const created = await destinations.webhook(account, hook.url);
    expect(accepted(await destinations.test(created))).to.deep.include({ status: 500 });
    expect((await destinations.state(created)).status).to.equal('paused');
    await publishNew();
    hook.answering = 204;
    accepted(await destinations.test(created));
    expect((await destinations.state(created)).status).to.equal('active');
    const id = await publishNew();
    await until(true, () => hook.itemIds.includes(id));
    for (const received of hook.received) expect(isSigned(received, created.secret)).to.equal(true);
    expect(isSigned(hook.received[0] ?? expect.fail(), 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).to.equal(
      false,
    );
    const body = hook.bodies.at(-1);
    expect(body?.messages.map(({ type }) => type)).to.include('item');
    const key = await service.parts.issueKey(account, null, 'test');
    const changes = await fetch(`${service.url}/pm/v2/changes?after=${body?.position}`, {
      headers: { 'X-API-Key': accepted(key).value },
    });
    expect(changes.status).to.equal(200);
  });

  it('pass only what the filter of the destination passes', async () => {
    const { account } = await keyHolder(service);
    const [all, some] = [await receiver(), await receiver()];
    await destinations.enabled(account, all.url);
    await destinations.enabled(account, some.url, 'market_id=s-item-none&market_id=s-wanted');
    await publish(service, 'other', 'wanted');
    await until(true, () => all.itemIds.length === 2 && some.itemIds.length === 1);
    expect(some.itemIds).to.deep.equal(['wanted']);
  });

  it('are repeated with the same id after a failure, and give the newest version only', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    hook.answering = 503;
    await publish(service, 'corrected');
    await until(true, () => hook.bodies.length === 1);
    await until(true, async () => (await destinations.state(created)).status === 'failing');
    accepted(
      (await service.parts.publishNews([timedNow(publication({ id: 'corrected' }))], 'live'))[0] ?? {},
    );
    hook.answering = 200;
    service.clock.at = plus(service.clock.at, 7 * SECOND);
    await until(true, () => hook.bodies.length === 3);
    const [, first, repeat, next] = hook.received.map(({ headers }) => headers['webhook-id']);
    expect(repeat).to.equal(first);
    expect(next).not.to.equal(first);
    expect(hook.bodies.map(({ messages }) => messages.length)).to.deep.equal([1, 0, 1]);
    await until(true, async () => (await destinations.state(created)).status === 'active');
  });

  it('wait as long as a receiver asks, and end with 410', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    hook.answering = 410;
    await publishNew();
    await until(true, async () => (await destinations.state(created)).status === 'disabled');
    const last = await publishNew();
    hook.answering = 204;
    const enabled = { event: 'enabled' } as const;
    await service.parts.changeDestination(account, created.id, enabled, { actor: 'test' });
    await until(true, () => hook.itemIds.includes(last));
  });

  it('are signed with the old and the new secret for a day after a rotation', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    const secret = await destinations.rotate(created);
    // Until the process that delivers has read the new secret, the old one signs.
    await until(true, async () => {
      const id = await publishNew();
      await until(true, () => hook.itemIds.includes(id));
      return isSigned(hook.received.at(-1) ?? expect.fail(), secret);
    });
    expect(hook.received.filter((received) => !isSigned(received, created.secret))).to.deep.equal([]);
    service.clock.at = plus(service.clock.at, 25 * HOUR);
    const id = await publishNew();
    await until(true, () => hook.itemIds.includes(id));
    const last = hook.received.at(-1) ?? expect.fail();
    // Its time is that of the test, so that the signature is compared and not the clock.
    expect(String(last.headers['webhook-signature']).split(' ')).to.have.length(1);
  });

  it('stop during a hold, go on after it, and end with the account', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    const held = (isHeld: boolean) =>
      rewrite(service, account, (found) => ({
        ...found,
        subscription: {
          ...found.subscription,
          suspension: isHeld ? { status: 'suspended', causes: ['manual_hold'] } : { status: 'active' },
        },
      }));
    await held(true);
    const watcher = await receiver();
    const { account: other } = await keyHolder(service);
    await destinations.enabled(other, watcher.url);
    const publishSeen = async () => {
      const id = await publishNew();
      await until(true, () => watcher.itemIds.includes(id));
      return id;
    };
    // Until the process that delivers has read the hold, the former state is in force.
    await until(false, async () => hook.itemIds.includes(await publishSeen()));
    const id = await publishSeen();
    expect(hook.itemIds).not.to.include(id);
    await held(false);
    await until(true, () => hook.itemIds.includes(id));
    accepted(await service.parts.deleteAccount(account, 'test'));
    expect(await service.parts.destinations.find(created.id)).to.equal(null);
    const last = await publishNew();
    await until(true, () => watcher.itemIds.includes(last));
    expect(hook.itemIds).not.to.include(last);
  });

  it('wait while the subscription is not served, and then go on without a gap', async () => {
    const { account } = await keyHolder(service);
    const { account: other } = await keyHolder(service);
    const [hook, watcher] = [await receiver(), await receiver()];
    await destinations.enabled(account, hook.url);
    await destinations.enabled(other, watcher.url);
    const inState = (state: SubscriptionState) =>
      rewrite(service, account, (found) => ({ ...found, subscription: { ...found.subscription, state } }));
    const published: string[] = [];
    const publishSeen = async () => {
      const id = await publishNew();
      published.push(id);
      await until(true, () => watcher.itemIds.includes(id));
      return id;
    };
    await inState('incomplete');
    // Until the process that delivers has read the new state, the former one holds.
    await until(false, async () => hook.itemIds.includes(await publishSeen()));
    for (const state of ['paused', 'unpaid', 'canceled'] as const) {
      await inState(state);
      expect(hook.itemIds, state).not.to.include(await publishSeen());
    }
    await inState('active');
    await until(true, () => hook.itemIds.length === published.length);
    expect(hook.itemIds).to.deep.equal(published);
  });

  it('never give again what was purged while they failed', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    hook.answering = 500;
    const id = await publishNew();
    await until(true, async () => (await destinations.state(created)).status === 'failing');
    await service.parts.purgeNews(id, { actor: 'test', reason: 'published by mistake' as Reason });
    hook.answering = 204;
    hook.received.length = 0;
    service.clock.at = plus(service.clock.at, 7 * SECOND);
    await until(true, () => hook.itemIds.includes(id));
    const messages = hook.bodies.flatMap((body) => body.messages);
    expect(messages.map(({ type }) => type)).to.deep.equal(['retraction']);
    expect(JSON.stringify(messages)).not.to.include('headline');
  });

  it('can be asked for again, for a permit', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    const id = await publishNew();
    await until(true, () => hook.itemIds.includes(id));
    await until(true, async () => (await service.parts.destinations.deliveries(created.id)).length === 2);
    const [delivery] = await service.parts.destinations.deliveries(created.id);
    accepted(await destinations.again(created, (delivery ?? expect.fail()).id));
    expect(hook.itemIds).to.deep.equal([id, id]);
    const kinds = (await service.parts.destinations.deliveries(created.id)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['again', 'changes', 'test']);
  });

  it('are disabled after three days with two mails, and go on without a gap when enabled', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    hook.answering = 500;
    await publish(service, 'a');
    for (let i = 0; i < 40 && (await destinations.state(created)).status !== 'disabled'; i += 1) {
      const before = hook.received.length;
      service.clock.at = plus(service.clock.at, 6 * HOUR);
      await until(true, () => hook.received.length > before);
      await until(
        true,
        async () => (await service.parts.destinations.deliveries(created.id))[0]?.at === service.clock.at,
      );
      await publish(service, 'a', `b-${i}`);
    }
    service.clock.at = plus(service.clock.at, 2 * DAY);
    await publish(service, 'last');
    await until(true, () => service.lines.filter(({ notice }) => isAboutDestination(notice)).length === 2);
    hook.answering = 204;
    hook.received.length = 0;
    await service.parts.changeDestination(account, created.id, { event: 'enabled' }, { actor: 'test' });
    await until(true, () => hook.itemIds.includes('last'));
    const ids = hook.itemIds;
    expect(new Set(ids)).to.have.length(ids.length);
    expect(ids.filter((id) => id.startsWith('b-'))).to.have.length.above(5);
  });

  it('refuse the eleventh test of an hour', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.webhook(account, hook.url);
    for (let i = 0; i < 10; i += 1) accepted(await destinations.test(created));
    expect(await destinations.test(created)).to.deep.include({ refused: 'rate_limited' });
    expect(hook.received).to.have.length(10);
    service.clock.at = plus(service.clock.at, HOUR + MINUTE);
    accepted(await destinations.test(created));
  });

  it('write no secret and no URL to the log', async () => {
    const { account } = await keyHolder(service);
    const hook = await receiver();
    const created = await destinations.enabled(account, hook.url);
    hook.answering = 'cut';
    await publishNew();
    await until(true, async () => (await destinations.state(created)).status === 'failing');
    const log = JSON.stringify(service.lines);
    expect(log).not.to.include(created.secret);
    expect(log).not.to.include('/hooks/1f2c');
  });
});

const isAboutDestination = (notice: unknown): boolean =>
  ['destination_failing', 'destination_disabled'].includes(
    (notice as { readonly kind?: string } | undefined)?.kind ?? '',
  );
