import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { DELIVERING } from '../../../src/application/held-jobs.js';
import type { StoredDestination } from '../../../src/application/ports/destinations/destinations.js';
import type { Stores } from '../../../src/application/ports/stores.js';
import type { AccountId, AuditEntry } from '../../../src/domain/accounts/account.js';
import type { DeliveryId, Destination, DestinationId } from '../../../src/domain/destinations/destination.js';
import { ACTIVE, type DestinationState } from '../../../src/domain/destinations/destination-state.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { aDestination, deliveryEntry, stepOf } from '../../support/destinations/destinations.js';
import { NOON } from '../../support/objects/builders.js';
import { item } from '../../support/objects/listed-items.js';
import { anAccount } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const FAILING: DestinationState = { status: 'failing', since: NOON, tries: 1, nextAt: plus(NOON, MINUTE) };

eachAdapter('Destinations', contracts.destinations, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const put = (stores: Stores, next: Destination, entries: readonly AuditEntry[] = []) =>
    stores.destinations.change(next.account, () => ({ id: next.id, next, entries }));
  const remove = (stores: Stores, { id, account }: Destination) =>
    stores.destinations.change(account, () => ({ id, next: null, entries: [] }));
  const created = async (stores: Stores, changes: Partial<Destination> = {}) => {
    const account = changes.account ?? (await anAccount(stores.accounts, 0)).id;
    const destination = aDestination({ ...changes, account });
    await put(stores, destination);
    return destination;
  };
  const stored = async (stores: Stores, { id }: Destination): Promise<StoredDestination> =>
    (await stores.destinations.find(id)) ?? expect.fail('the destination is not stored');
  /** The holder of the lease, for this store. */
  const holding = async (stores: Stores) => {
    const holder = randomUUID();
    for (const other of holders.get(stores) ?? []) await stores.heldLeases.release(other);
    holders.set(stores, [...(holders.get(stores) ?? []), holder]);
    await stores.heldLeases.renew(holder, [DELIVERING]);
    return holder;
  };
  const holders = new Map<Stores, readonly string[]>();
  afterEach(async () => {
    for (const [stores, names] of holders)
      for (const holder of names) await stores.heldLeases.release(holder);
    holders.clear();
  });

  it('shows a destination verbatim, at the newest change of the feed, to every instance', async () => {
    const [one, other] = await pair();
    await one.feed.publish([item('a', 1)], 'live');
    const destination = await created(one, { filter: 'q=“山”', label: 'Zoë' as Destination['label'] });
    const { destination: found, progress } = await stored(other, destination);
    expect(found).to.deep.equal(destination);
    const account = await anAccount(one.accounts, 0);
    await one.feed.publish([item('b', 2)], 'live');
    const later = await created(other, { account: account.id });
    const after = (await stored(one, later)).progress;
    expect(after.position.n).to.be.above(progress.position.n);
    expect(after).to.deep.include({ batch: null });
    expect((await other.destinations.of(account.id)).map((one) => one.destination)).to.deep.equal([later]);
  });

  it('stores nothing of a refusal, and refuses an unknown account', async () => {
    const stores = await instance();
    const { account } = await created(stores);
    expect(await stores.destinations.change(account, () => refuse('not_tested'))).to.deep.equal({
      refused: 'not_tested',
    });
    expect(await stores.destinations.of(account)).to.have.length(1);
    const unknown = aDestination({ account: `acc_${randomUUID()}` as AccountId });
    expect(await put(stores, unknown)).to.deep.include({ refused: 'not_found' });
  });

  it('serialises the changes of one account', async () => {
    const stores = await pair();
    const account = (await anAccount(stores[0].accounts, 0)).id;
    const add = (stores: Stores) =>
      stores.destinations.change(account, (all) => {
        if (all.length >= 3) return { refused: 'too_many_destinations', limit: 3 };
        const next = aDestination({ account });
        return { id: next.id, next, entries: [] };
      });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => add(stores[i % 2 === 0 ? 0 : 1])));
    expect(answers.filter((answer) => answer !== null && 'refused' in answer)).to.have.length(5);
    expect(await stores[0].destinations.of(account)).to.have.length(3);
  });

  it('stores the audit entries of a change with it', async () => {
    const stores = await instance();
    const account = (await anAccount(stores.accounts, 0)).id;
    const entry = {
      actor: 'customer',
      at: NOON,
      event: 'destination_created',
      key: null,
      reason: 'Desk',
    } as const;
    await put(stores, aDestination({ account }), [entry]);
    expect((await stores.accounts.auditOf(account)).at(-1)).to.deep.equal(entry);
  });

  it('finds a feed by the hash of its token', async () => {
    const stores = await instance();
    const tokenHash = randomUUID() as SecretHash;
    const feed = await created(stores, { target: { kind: 'feed', tokenHash } });
    expect((await stores.destinations.findByToken(tokenHash))?.destination).to.deep.equal(feed);
    expect(await stores.destinations.findByToken('other' as SecretHash)).to.equal(null);
    await remove(stores, feed);
    expect(await stores.destinations.findByToken(tokenHash)).to.equal(null);
  });

  it('tells what changed after a version, and what was removed', async () => {
    const [one, other] = await pair();
    const [first, second] = [await created(one), await created(one)];
    const { version } = await other.destinations.changedAfter(-1);
    expect((await other.destinations.changedAfter(version)).changed).to.deep.equal([]);
    const third = await created(one);
    await put(one, { ...first, filter: 'q=rain' });
    await remove(one, second);
    const changes = await other.destinations.changedAfter(version);
    expect(changes.version).to.equal(version + 3);
    expect(changes.changed.map(({ destination }) => destination.id)).to.have.members([first.id, third.id]);
    expect(changes.removed).to.deep.equal([second.id]);
    expect(await one.destinations.find(second.id)).to.equal(null);
  });

  it('records steps of the holder of the lease, on the version that they were decided on', async () => {
    const [one, other] = await pair();
    const destination = await created(one);
    const before = await stored(one, destination);
    const { position } = before.progress;
    const batch = {
      id: 'msg_1' as DeliveryId,
      filter: '',
      content: 'changes',
      from: position,
      until: position,
    } as const;
    const entry = deliveryEntry({ destination: destination.id });
    const to = `${randomUUID()}@example.org`;
    const news = {
      kind: 'destination_failing',
      destination: { label: 'Desk', kind: 'webhook' },
      since: NOON,
    } as const;
    const notices = [{ to, occasion: `failing/${destination.id}`, news }];
    const step = stepOf(before, { state: FAILING, progress: { ...before.progress, batch }, entry, notices });
    expect([...(await one.destinations.record('nobody', [step]))]).to.deep.equal([]);
    const holder = await holding(one);
    expect([...(await one.destinations.record(holder, [step]))]).to.deep.equal([destination.id]);
    // A repeat after an answer that was lost.
    await one.destinations.record(holder, [step]);
    const after = await stored(other, destination);
    expect(after).to.deep.equal({
      ...before,
      destination: { ...destination, state: FAILING },
      progress: step.progress,
    });
    expect((await other.destinations.deliveries(destination.id))[0]).to.deep.equal(entry);
    const sent = (await one.outbox.claim(plus(NOON, MINUTE), 10_000)).filter(
      ({ notice }) => notice.to === to,
    );
    expect(sent.map(({ notice }) => notice)).to.deep.equal(notices);
    await put(other, { ...destination, filter: 'q=rain' });
    expect([...(await one.destinations.record(holder, [stepOf(before)]))]).to.deep.equal([]);
    expect((await stored(one, destination)).destination).to.deep.include({ filter: 'q=rain', state: ACTIVE });
    // What its owner changed has the progress from before.
    expect((await stored(one, destination)).progress).to.deep.equal(step.progress);
  });

  it('moves positions of destinations without a batch only', async () => {
    const stores = await instance();
    const [idle, busy] = [await created(stores), await created(stores)];
    const holder = await holding(stores);
    const before = await stored(stores, busy);
    const { position } = before.progress;
    const batch = {
      id: 'msg_1' as DeliveryId,
      filter: '',
      content: 'changes',
      from: position,
      until: position,
    } as const;
    await stores.destinations.record(holder, [stepOf(before, { progress: { ...before.progress, batch } })]);
    const newest = { n: position.n + 7, mark: '00000000000000aa' };
    await stores.destinations.advance('nobody', [idle.id, busy.id], newest);
    expect((await stored(stores, idle)).progress.position).to.deep.equal(position);
    await stores.destinations.advance(holder, [idle.id, busy.id], newest);
    expect((await stored(stores, idle)).progress.position).to.deep.equal(newest);
    expect((await stored(stores, busy)).progress.position).to.deep.equal(position);
    // A step has moved it further meanwhile.
    await stores.destinations.advance(holder, [idle.id], { n: position.n + 3, mark: '00000000000000bb' });
    expect((await stored(stores, idle)).progress.position).to.deep.equal(newest);
  });

  it('lists the failing ones first, and the last deliveries with the newest first', async () => {
    const stores = await instance();
    const [fine, failing] = [await created(stores), await created(stores)];
    const holder = await holding(stores);
    await stores.destinations.record(holder, [stepOf(await stored(stores, failing), { state: FAILING })]);
    await created(stores);
    const listed = (await stores.destinations.list(1_000)).map(({ destination }) => destination.id);
    expect(listed.indexOf(failing.id)).to.be.below(listed.indexOf(fine.id));
    for (let i = 0; i < 102; i += 1)
      await stores.destinations.note(deliveryEntry({ destination: fine.id, messages: i }));
    const entries = await stores.destinations.deliveries(fine.id);
    expect([entries.length, entries[0]?.messages, entries.at(-1)?.messages]).to.deep.equal([100, 101, 2]);
  });

  it('counts returns to an older state, once for several processes that notice the same one', async () => {
    const [one, other] = await pair();
    const { generation } = await one.destinations.changedAfter(-1);
    await Promise.all([one.destinations.reset(), other.destinations.reset()]);
    expect((await other.destinations.changedAfter(-1)).generation).to.equal(generation + 1);
    const fresh = await created(one);
    expect((await stored(one, fresh)).progress.generation).to.equal(generation + 1);
  });

  it('removes the destinations of a deleted account with their deliveries', async () => {
    const [one, other] = await pair();
    const destination = await created(one);
    await one.destinations.note(deliveryEntry({ destination: destination.id }));
    const { version } = await other.destinations.changedAfter(-1);
    await one.accountDeletions.delete(destination.account, NOON, (next) => ({ next, entries: [] }));
    expect((await other.destinations.changedAfter(version)).removed).to.deep.equal([destination.id]);
    expect(await other.destinations.deliveries(destination.id as DestinationId)).to.deep.equal([]);
    expect(await other.destinations.of(destination.account)).to.deep.equal([]);
  });
});
