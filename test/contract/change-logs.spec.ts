import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { applyPaymentEvent } from '../../src/application/billing/apply-payment-event.js';
import type { FeedChange, LogPositions } from '../../src/application/ports/change-logs.js';
import type { Account } from '../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../src/domain/accounts/email-address.js';
import { DUNNING } from '../../src/domain/billing/dunning.js';
import { PLANS } from '../../src/domain/billing/plan.js';
import { issueKey, revokeKey, rotateKey } from '../../src/domain/keys/account-keys.js';
import { DAY, type Moment, plus, SECOND } from '../../src/domain/moment.js';
import { refuse } from '../../src/domain/refusal.js';
import { type Changes, changesAfter, hashesIn } from '../support/copies/logged-changes.js';
import { accepted, auditContext, NOON, runs } from '../support/objects/builders.js';
import { aFreshKey, anAccount, anOpening, firstKey } from '../support/service/accounts.js';
import { unavailability } from '../support/service/faults.js';
import { contracts, type LoggedStore } from './adapters.js';
import { at, EVERYTHING, item } from './feed/each-feed-store.js';
import { eachAdapter } from './opening.js';

/** All parts of the logs after these positions. */
async function partsAfter({ logs }: LoggedStore, start: LogPositions): Promise<readonly Changes[]> {
  const parts = [await changesAfter(logs, start)];
  for (let last = parts[0]; last !== undefined && !last.isComplete; last = parts.at(-1))
    parts.push(await changesAfter(logs, last.positions));
  return parts;
}

const withoutPosition = ({ position: _, knownAt: __, ...change }: FeedChange) => change;
const hashesOf = ({ keys }: Account) => keys.map(({ hash }) => hash).sort();

/** The feed that results from applying the log to a feed. */
function replayed(start: ReadonlyMap<string, Moment>, changes: readonly FeedChange[]) {
  const feed = new Map(start);
  for (const change of changes) {
    if (change.kind === 'published' || change.kind === 'replaced') feed.set(change.id, change.scoredAt);
    else if (change.kind === 'retracted') feed.delete(change.id);
  }
  return feed;
}

eachAdapter('ChangeLogs', contracts.changeLogs, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const revoked = async ({ accounts }: LoggedStore, account: Account) =>
    accepted(
      await accounts.change(account.id, (found) =>
        revokeKey(found, firstKey(account).id, 'manual', auditContext()),
      ),
    );

  it('have each change of the feed once, in order, with its kind and when it became known (D11, D59, T16)', async () => {
    const [left, right] = await pair();
    const start = await right.logs.newest();
    await left.feed.publish([item('a', at(1)), item('b', at(2))], 'live');
    await right.feed.publish([item('c', at(3)), item('a', at(4)), item('c', at(5))], 'live');
    await left.feed.retract('b');
    await left.feed.retract('nobody');
    await right.feed.publish([item('d', at(0))], 'backfill');
    await left.feed.raiseHead(at(9), at(0));
    const read = await changesAfter(right.logs, start);
    expect(read.feed.map(withoutPosition)).to.deep.equal([
      { kind: 'published', id: 'a', scoredAt: at(1) },
      { kind: 'published', id: 'b', scoredAt: at(2) },
      { kind: 'published', id: 'c', scoredAt: at(3) },
      { kind: 'replaced', id: 'a', scoredAt: at(4) },
      { kind: 'published', id: 'c', scoredAt: at(5) },
      { kind: 'retracted', id: 'b' },
      { kind: 'published', id: 'd', scoredAt: at(0) },
      { kind: 'raised', head: at(9) },
    ]);
    const known = read.feed.map(({ knownAt }) => knownAt ?? '');
    expect(known.every((knownAt) => knownAt !== '')).to.equal(true);
    expect(known).to.deep.equal(known.toSorted());
    const first = start.feed.n + 1;
    expect(read.feed.map(({ position }) => position.n)).to.deep.equal(read.feed.map((_, i) => first + i));
    expect([read.accounts, read.isComplete]).to.deep.equal([[], true]);
  });

  it('return the position of each page of the feed as that of its last change (D44)', async () => {
    const [left, right] = await pair();
    await left.feed.publish([item(randomUUID(), at(20))], 'live');
    expect((await right.feed.page(EVERYTHING)).position).to.deep.equal((await left.logs.newest()).feed);
  });

  it('have each change of the keys or the subscription of an account, with the hashes of the keys that it concerns', async () => {
    const [left, right] = await pair();
    const start = await left.logs.newest();
    const account = await anAccount(left.accounts, 2);
    const after = await revoked(right, account);
    const other = await anAccount(left.accounts);
    accepted(
      await right.accounts.change(account.id, (found) => ({
        next: { ...found, subscription: { ...found.subscription, state: 'paused' } },
        entries: [],
      })),
    );
    const read = await changesAfter(left.logs, start);
    const [one, two] = account.keys;
    expect(after.keys[1]).to.deep.equal(two);
    expect(hashesIn(read)).to.deep.equal([
      [],
      [one?.hash],
      [two?.hash],
      [one?.hash],
      [],
      hashesOf(other),
      hashesOf(account),
    ]);
    expect(read.feed).to.deep.equal([]);
  });

  it('have nothing of a change that was refused or failed (T16)', async () => {
    const [left, right] = await pair();
    const account = await anAccount(left.accounts);
    const start = await right.logs.newest();
    await left.accounts.change(account.id, () => refuse('account_exists'));
    expect(await left.accounts.open(anOpening('pro', { email: account.email }))).to.have.property('refused');
    await left.accounts
      .change(account.id, () => {
        throw new Error('a bug');
      })
      .catch(() => {});
    expect(await changesAfter(right.logs, start)).to.deep.include({
      accounts: [],
      feed: [],
      positions: start,
    });
  });

  it('have no change of only a last use, a claim, an email address or payment facts', async () => {
    const [left, right] = await pair();
    const customer = `cus_${randomUUID()}`;
    const { id } = accepted(await left.accounts.open(anOpening('pro', { processorCustomerId: customer })));
    const account = accepted(
      await left.accounts.change(id, (found) => issueKey(found, aFreshKey(), PLANS.pro, auditContext())),
    );
    const key = firstKey(account).id;
    accepted(await left.accounts.change(id, (found) => rotateKey(found, key, aFreshKey(), auditContext())));
    const start = await right.logs.newest();
    expect(await left.accounts.claimDue(plus(NOON, 2 * DAY), 1_000)).to.include(id);
    left.keyUses.note(key, plus(NOON, SECOND));
    expect([...(await left.keyUses.of([key])).values()]).to.deep.equal([
      { firstAt: plus(NOON, SECOND), lastAt: plus(NOON, SECOND) },
    ]);
    const email = `${randomUUID()}@example.org` as EmailAddress;
    accepted(await left.accounts.change(id, (found) => ({ next: { ...found, email }, entries: [] })));
    const rules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' } as const;
    const receipt = await left.inbox.receive(
      subscriptionIsActive(customer),
      NOON,
      applyPaymentEvent(rules, NOON),
    );
    expect([receipt.state, receipt.account?.email]).to.deep.equal(['applied', email]);
    expect(receipt.account?.payments).not.to.deep.equal(account.payments);
    expect(await changesAfter(right.logs, start)).to.deep.include({ accounts: [], positions: start });
  });

  it('lead to the feed when they are applied to an earlier state of it, from any change on', async () => {
    const [left, right] = await pair();
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const published = fc.record({
      mode: fc.constantFrom('live' as const, 'backfill' as const),
      items: fc.array(fc.record({ id: name, micros: fc.nat(12) }), { maxLength: 4 }),
    });
    const retracted = fc.record({ mode: fc.constant('retract' as const), id: name });
    const state = async () => {
      const { items, position } = await left.feed.page(EVERYTHING);
      return { feed: new Map(items.map(({ id, scoredAt }) => [id, scoredAt])), position };
    };
    const property = fc.asyncProperty(
      fc.array(fc.oneof(published, retracted), { maxLength: 12 }),
      async (steps) => {
        const states = [await state()];
        for (const step of steps) {
          if (step.mode === 'retract') await left.feed.retract(step.id);
          else
            await left.feed.publish(
              step.items.map(({ id, micros }) => item(id, at(micros))),
              step.mode,
            );
          states.push(await state());
        }
        const { accounts } = await right.logs.newest();
        const end = states.at(-1)?.feed;
        for (const { feed, position } of states) {
          const read = await changesAfter(right.logs, { accounts, feed: position });
          expect(replayed(feed, read.feed)).to.deep.equal(end);
        }
      },
    );
    await fc.assert(property, runs(20));
  });

  it('recognise a position of another state of the store (D45)', async () => {
    const [left, right] = await pair();
    await left.feed.publish([item(randomUUID(), at(30))], 'live');
    await anAccount(left.accounts);
    const newest = await right.logs.newest();
    for (const log of ['accounts', 'feed'] as const) {
      const n = newest[log].n;
      for (const other of [n, n - 1, n + 1, n + 10_000]) {
        const positions = { ...newest, [log]: { n: other, mark: 'ab'.repeat(8) } };
        expect(await right.logs.readAfter(positions), `${log} ${other - n}`).to.deep.equal({
          found: 'older state',
        });
      }
    }
    expect((await changesAfter(right.logs, newest)).positions).to.deep.equal(newest);
  });

  it('tell a reader that changes after its positions were removed, but never remove the newest one', async () => {
    const [left, right] = await pair();
    await left.feed.publish([item('a', at(40))], 'live');
    await anAccount(left.accounts, 0);
    const oldest = await right.logs.newest();
    await left.feed.publish([item(randomUUID(), at(41))], 'live');
    await anAccount(left.accounts, 0);
    const newest = await right.logs.newest();
    expect((await changesAfter(right.logs, oldest)).positions).to.deep.equal(newest);
    await left.removeOldChanges();
    expect(await right.logs.newest()).to.deep.equal(newest);
    expect((await changesAfter(right.logs, newest)).positions).to.deep.equal(newest);
    for (const log of ['accounts', 'feed'] as const)
      expect(await right.logs.readAfter({ ...newest, [log]: oldest[log] })).to.deep.equal({
        found: 'expired',
      });
    await left.feed.retract('a');
    expect((await changesAfter(right.logs, newest)).feed.map(withoutPosition)).to.deep.equal([
      { kind: 'retracted', id: 'a' },
    ]);
  });

  it('give up a read when another one begins', async () => {
    const { logs } = await instance();
    const start = await logs.newest();
    for (let round = 0; round < 5; round += 1) {
      const reads = Array.from({ length: 3 }, () => logs.readAfter(start));
      for (const earlier of reads.slice(0, -1)) await unavailability(earlier);
      expect((await reads.at(-1))?.found).to.equal('changes');
    }
  });

  it('are read in parts of at most 1 000 changes of each log, without a gap', async () => {
    const [left, right] = await pair();
    const start = await right.logs.newest();
    const many = Array.from({ length: 2_500 }, (_, i) => item(`many ${i}`, plus(NOON, i * SECOND)));
    await left.feed.publish(many, 'live');
    const account = await anAccount(left.accounts);
    const parts = await partsAfter(right, start);
    const ids = parts.flatMap(({ feed }) => feed.map((change) => 'id' in change && change.id));
    expect(ids).to.deep.equal(many.map(({ id }) => id));
    expect(Math.max(...parts.map(({ feed }) => feed.length))).to.be.within(900, 1_000);
    expect(parts.flatMap(hashesIn)).to.deep.equal([[], hashesOf(account)]);
    expect(parts.at(-1)?.positions).to.deep.equal(await left.logs.newest());
  });
});

const subscriptionIsActive = (customer: string) => ({
  id: `evt_${randomUUID()}`,
  type: 'customer.subscription.updated',
  at: NOON,
  customer,
  link: null,
  fact: {
    kind: 'subscription' as const,
    subscription: 'sub_1',
    startedAt: NOON,
    status: 'active' as const,
    plan: null,
    terms: { trialEndsAt: null, periodEndsAt: null },
  },
  fault: null,
  payload: Buffer.from('{}'),
});
