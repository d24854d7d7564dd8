import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Account, AccountId, AuditEntry, Pending } from '../../../src/domain/accounts/account.js';
import { deleteAccount } from '../../../src/domain/accounts/account-deletion.js';
import type { PaymentFact } from '../../../src/domain/billing/payment-event.js';
import type { Subscription } from '../../../src/domain/billing/subscription.js';
import { rotateKey } from '../../../src/domain/keys/account-keys.js';
import { suspensionAfter } from '../../../src/domain/keys/api-key.js';
import { DAY, HOUR, MICROSECOND, type Moment, plus, startOfDay } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, anOpening, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { ListedAccounts } from './adapters.js';

const idsOf = (accounts: readonly Account[]) => accounts.map(({ id }) => id);
const ACTIVE = { status: 'active' } as const;

eachAdapter('AccountLists', contracts.accountLists, (instance) => {
  const open = async ({ accounts }: ListedAccounts, email: string, customer = `cus_${randomUUID()}`) =>
    accepted(await accounts.open(anOpening('pro', { email, processorCustomerId: customer })));
  const inState = async ({ accounts }: ListedAccounts, state: Partial<Subscription>) => {
    const { id } = await anAccount(accounts);
    return accepted(
      await accounts.change(id, (found) => ({
        next: { ...found, subscription: { ...found.subscription, ...state } },
        entries: [],
      })),
    );
  };
  const deleted = async (stores: ListedAccounts, email: string) => {
    const { id } = await open(stores, email);
    const { actor, at } = auditContext();
    accepted(await stores.accounts.change(id, (found) => deleteAccount(found, [], { actor, at })));
    return id;
  };

  it('finds accounts whose address or domain begins with a text, in the order of the addresses', async () => {
    const stores = await instance();
    const domain = `d${randomUUID()}.example`;
    const [second, first] = [await open(stores, `b_x@${domain}`), await open(stores, `a%x@${domain}`)];
    await open(stores, `other@x${domain}`);
    await deleted(stores, `gone@${domain}`);
    const found = async (text: string, count = 9) => idsOf(await stores.lists.withEmailPart(text, count));
    expect(await found(domain.slice(0, 20).toUpperCase())).to.deep.equal([first.id, second.id]);
    expect(await found(`B_X@${domain}`)).to.deep.equal([second.id]);
    expect(await found(`a_x@${domain}`)).to.deep.equal([]);
    expect(await found(domain, 1)).to.deep.equal([first.id]);
  });

  it('finds the account of a subscription, a customer, and of an invoice or subscription of its events', async () => {
    const stores = await instance();
    const [customer, invoice, subscription] = [
      `cus_${randomUUID()}`,
      `in_${randomUUID()}`,
      `sub_${randomUUID()}`,
    ];
    const account = await open(stores, `${randomUUID()}@example.org`, customer);
    await open(stores, `${randomUUID()}@example.org`);
    const fact: PaymentFact = { kind: 'invoice_open', invoice, subscription };
    const event = { ...{ id: `evt_${randomUUID()}`, type: 'invoice.open', at: NOON, customer }, fact };
    const received = { ...event, link: null, fault: null, payload: Buffer.from('{}') };
    await stores.inbox.receive(received, NOON, (next) => ({ next, entries: [] }));
    for (const id of [account.subscription.id, customer, invoice, subscription])
      expect(idsOf(await (await instance()).lists.withOtherId(id, 9)), id).to.deep.equal([account.id]);
    expect(await stores.lists.withOtherId('in_unknown', 9)).to.deep.equal([]);
  });

  it('lists the last opened accounts first, without deleted ones', async () => {
    const stores = await instance();
    const later = anOpening('pro', { email: `${randomUUID()}@example.org` });
    const openedAt = plus(NOON, 9 * DAY);
    accepted(await stores.accounts.open({ ...later, next: { ...later.next, openedAt } }));
    const last = anOpening('pro', { email: `${randomUUID()}@example.org` });
    accepted(await stores.accounts.open({ ...last, next: { ...last.next, openedAt: plus(openedAt, HOUR) } }));
    const gone = await deleted(stores, `${randomUUID()}@example.org`);
    expect(idsOf(await stores.lists.newest(2))).to.deep.equal([last.next.id, later.next.id]);
    expect(idsOf(await stores.lists.newest(1_000))).to.not.include(gone);
  });

  it('counts blocked accounts up to a number: those that can work again, and are refused now', async () => {
    const stores = await instance();
    const before = await stores.lists.refused(1_000);
    await inState(stores, {});
    for (const state of ['incomplete', 'paused', 'unpaid'] as const) await inState(stores, { state });
    await inState(stores, { suspension: suspensionAfter(ACTIVE, 'held', NOON) });
    await inState(stores, { state: 'canceled', suspension: suspensionAfter(ACTIVE, 'held', NOON) });
    expect((await stores.lists.refused(1_000)) - before).to.equal(4);
    expect(await stores.lists.refused(2)).to.equal(2);
  });

  it('lists accounts that are suspended for abuse, in the order of their ids', async () => {
    const stores = await instance();
    const suspension = suspensionAfter(suspensionAfter(ACTIVE, 'held', NOON), 'abuse_detected', NOON);
    const some = [await inState(stores, { suspension }), await inState(stores, { suspension })];
    await inState(stores, { suspension: suspensionAfter(ACTIVE, 'held', NOON) });
    const [first, second] = idsOf(some).sort();
    const detected = (at: typeof NOON, event: AuditEntry['event'] = 'abuse_detected') => ({
      ...{ ...auditContext(at), event, key: null },
    });
    const entries = [detected(NOON), detected(plus(NOON, HOUR)), detected(plus(NOON, DAY), 'held')];
    await stores.accounts.change(first ?? expect.fail(), (next) => ({ next, entries }));
    const found = async (count: number) =>
      (await stores.lists.suspectedOfAbuse(count)).map(({ account, since }) => [account.id, since]);
    expect(await found(9)).to.deep.equal([
      [first, plus(NOON, HOUR)],
      [second, null],
    ]);
    expect(await found(1)).to.deep.equal([[first, plus(NOON, HOUR)]]);
  });

  it('lists accounts whose dunning ended, the newest first, and none that are refused for another reason', async () => {
    const stores = await instance();
    const ended = suspensionAfter(suspensionAfter(ACTIVE, 'held', NOON), 'payment_failed', NOON);
    const at = plus(NOON, 90 * DAY);
    const since = async ({ id }: Account, when: Moment) => {
      const entries = [{ ...auditContext(when), event: 'payment_failed' as const, key: null }];
      await stores.accounts.change(id, (next) => ({ next, entries }));
      return id;
    };
    const older = await since(await inState(stores, { suspension: ended }), at);
    const newer = await since(await inState(stores, { state: 'unpaid' }), plus(at, HOUR));
    const unknown = (await inState(stores, { suspension: ended })).id;
    const others = [
      await since(await inState(stores, { suspension: suspensionAfter(ACTIVE, 'held', NOON) }), at),
      await since(await inState(stores, { state: 'canceled', suspension: ended }), at),
      await since(await inState(stores, { state: 'paused' }), at),
      await since(await inState(stores, {}), at),
    ];
    const found = await stores.lists.dunningEnded(1_000);
    expect(found.slice(0, 2).map(({ account, since: when }) => [account.id, when])).to.deep.equal([
      [newer, plus(at, HOUR)],
      [older, at],
    ]);
    expect(found.find(({ account }) => account.id === unknown)?.since).to.equal(null);
    for (const id of others) expect(found.map(({ account }) => account.id)).to.not.include(id);
    expect(await stores.lists.dunningEnded(1)).to.have.length(1);
  });

  it('lists accounts that lose their access by dunning until a time, and none with other due work', async () => {
    const stores = await instance();
    const until = plus(NOON, 10 * DAY);
    const pending = async (
      event: Pending['event'],
      at: typeof NOON,
      rotatedAt: typeof NOON | null = null,
    ) => {
      const { id } = await anAccount(stores.accounts);
      return accepted(
        await stores.accounts.change(id, (found) => {
          const context = rotatedAt === null ? null : auditContext(rotatedAt);
          const changed =
            context === null
              ? found
              : accepted(rotateKey(found, firstKey(found).id, aFreshKey(), context)).next;
          return { next: { ...changed, pending: [{ event, at, askAt: null }] }, entries: [] };
        }),
      );
    };
    await pending('trial_ended', NOON);
    await pending('payment_failed', plus(until, HOUR), NOON);
    const second = await pending('payment_failed', until);
    const first = await pending('payment_failed', plus(until, -HOUR), NOON);
    const due = async (count: number) => idsOf(await stores.lists.dunningDueBy(until, count));
    expect(await due(9)).to.deep.equal([first.id, second.id]);
    expect(await due(1)).to.deep.equal([first.id]);
  });

  it('finds few accounts of a domain that many have up to the number', async () => {
    const stores = await instance();
    const domain = `z${randomUUID()}.example`;
    const named = await open(stores, `${domain}@other.example`);
    const of = await Promise.all(['b', 'a', 'c'].map((name) => open(stores, `${name}@${domain}`)));
    const found = idsOf(await stores.lists.withEmailPart(domain, 2));
    expect(found).to.have.length(2);
    expect(idsOf([named, ...of])).to.include.members(found);
    expect(idsOf(await stores.lists.withEmailPart(domain, 9))).to.have.length(4);
  });

  it('lists the accounts with the most requests since a time, with those of all their keys', async () => {
    const stores = await instance();
    const [small, large] = [await anAccount(stores.accounts), await anAccount(stores.accounts, 2)];
    await anAccount(stores.accounts);
    const note = (account: Account, key: number, times: number, at = NOON) => {
      for (let n = 0; n < times; n += 1)
        stores.usage.note((account.keys[key] ?? firstKey(account)).id, 200, at);
    };
    note(small, 0, 3);
    note(small, 0, 9, plus(NOON, -HOUR));
    note(large, 0, 2);
    note(large, 1, 2);
    await stores.usage.of([], NOON);
    const found = await stores.lists.largest(NOON, 9);
    expect(found.map(({ account, requests }) => [account.id, requests])).to.deep.equal([
      [large.id, 4],
      [small.id, 3],
    ]);
    expect(await stores.lists.largest(NOON, 1)).to.have.length(1);
  });

  it('counts the refused requests of the largest, and finds the busiest day of each account on a plan', async () => {
    const stores = await instance();
    const [twoDays, oneDay] = [await anAccount(stores.accounts), await anAccount(stores.accounts)];
    const note = (account: Account, times: number, at: Moment, status = 200) => {
      for (let n = 0; n < times; n += 1) stores.usage.note(firstKey(account).id, status, at);
    };
    // The other tests note no use of these days.
    const midnight = plus(startOfDay(NOON), 20 * DAY);
    note(twoDays, 3, midnight);
    note(twoDays, 4, plus(midnight, -HOUR));
    note(twoDays, 2, plus(midnight, -DAY), 429);
    note(oneDay, 5, plus(midnight, HOUR));
    note(oneDay, 1, plus(midnight, HOUR), 404);
    await stores.usage.of([], midnight);
    const { plan } = twoDays.subscription;
    const from = plus(midnight, -DAY);
    const busiest = async (above: number, count = 9) =>
      (await stores.lists.busiest({ plan, from, above }, count)).map(({ account, requests, refused }) => [
        ...[account.id, requests, refused],
      ]);
    expect(await busiest(4)).to.deep.equal(
      [
        [oneDay.id, 6, 1],
        [twoDays.id, 6, 2],
      ].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
    // Both days of the first account have more.
    expect(await busiest(2)).to.deep.equal(await busiest(4));
    expect(await busiest(4, 1)).to.have.length(1);
    expect(await busiest(6)).to.deep.equal([]);
    const other = plan === 'pro' ? 'free' : 'pro';
    expect(await stores.lists.busiest({ plan: other, from, above: 0 }, 9)).to.deep.equal([]);
    const [largest] = await stores.lists.largest(midnight, 1);
    expect([largest?.account.id, largest?.requests, largest?.refused]).to.deep.equal([oneDay.id, 6, 1]);
  });

  it('counts opened accounts and ends of subscriptions by day since a time, those of deleted accounts included', async () => {
    const stores = await instance();
    // The other tests open and cancel nothing on these days.
    const day = plus(startOfDay(NOON), -400 * DAY);
    const opened = async (openedAt: Moment) => {
      const opening = anOpening('pro', { email: `${randomUUID()}@example.org` });
      return accepted(await stores.accounts.open({ ...opening, next: { ...opening.next, openedAt } })).id;
    };
    const noted = (id: AccountId, at: Moment, event: AuditEntry['event'] = 'cancelled') =>
      stores.accounts.change(id, (next) => ({
        ...{ next, entries: [{ ...auditContext(at), event, key: null }] },
      }));
    await opened(plus(day, -MICROSECOND));
    const [first, gone] = [await opened(day), await opened(plus(day, DAY - MICROSECOND))];
    const later = await opened(plus(day, DAY));
    await noted(first, plus(day, -MICROSECOND));
    await noted(first, plus(day, 2 * HOUR));
    await noted(first, plus(day, 3 * HOUR), 'revoked');
    await noted(gone, plus(day, 4 * HOUR));
    await noted(later, plus(day, 2 * DAY));
    const { actor } = auditContext();
    accepted(
      await stores.accounts.change(gone, (found) =>
        deleteAccount(found, [], { actor, at: plus(day, 5 * HOUR) }),
      ),
    );
    const counts = await stores.lists.byDay(day);
    const of = (some: ReadonlyMap<Moment, number>) =>
      [-1, 0, 1, 2].map((days) => some.get(plus(day, days * DAY)) ?? 0);
    expect(of(counts.opened)).to.deep.equal([0, 2, 1, 0]);
    expect(of(counts.canceled)).to.deep.equal([0, 2, 0, 1]);
    expect(counts.uncountedUntil).to.equal(null);
    expect((await stores.lists.byDay(plus(day, DAY))).opened.has(day)).to.equal(false);
  });

  it('counts the accounts on a plan, and lists those with more keys than a number', async () => {
    const stores = await instance();
    const before = await stores.lists.onPlan('builder', 99);
    const builder = async (keys: number) => {
      const { id } = await anAccount(stores.accounts, keys);
      return accepted(
        await stores.accounts.change(id, (found) => ({
          next: { ...found, subscription: { ...found.subscription, plan: 'builder' } },
          entries: [],
        })),
      );
    };
    const [few, many, most] = [await builder(1), await builder(2), await builder(3)];
    expect(await stores.lists.onPlan('builder', 99)).to.equal(before + 3);
    expect(await stores.lists.onPlan('builder', before + 1)).to.equal(before + 1);
    const beyond = async (keys: number, count = 99) =>
      idsOf(await stores.lists.listingMoreKeys('builder', keys, count));
    expect(await beyond(1))
      .to.include.members([many.id, most.id])
      .and.not.include(few.id);
    expect(await beyond(1)).to.deep.equal((await beyond(1)).toSorted());
    expect(await beyond(2))
      .to.include(most.id)
      .and.not.include(many.id);
    expect(await beyond(0, 1)).to.have.length(1);
  });
});
