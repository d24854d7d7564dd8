import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Identity, JoinedIdentity } from '../../../src/application/ports/sign-in/identities.js';
import type { Account, AccountId } from '../../../src/domain/accounts/account.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { recordJoin, recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { anAccount } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { IdentitiesAndAccounts } from './adapters.js';

/** Several rounds, so that connections are open and calls really overlap. */
const ROUNDS = 20;

const anIdentity = (joinedAt = NOON): JoinedIdentity => ({
  issuer: 'https://id.example',
  subject: randomUUID(),
  joinedAt,
});

type Store = IdentitiesAndAccounts;

const JOINED = plus(NOON, MINUTE);
const joining = (account: Account) =>
  recordJoin(account, 'https://id.example', { actor: 'customer', at: JOINED });
const removing = (account: Account) => recordRemoval(account, auditContext(JOINED));

eachAdapter('Identities', contracts.identities, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('joins a person to one of ten accounts in concurrent calls, and returns that one to all', async () => {
    const stores = await pair();
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => (await anAccount(stores[0].accounts, 0)).id),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const identity = anIdentity();
      const answers = await Promise.all(
        ids.map((id, i) => stores[(i % 2) as 0 | 1].identities.join(identity, id, joining)),
      );
      expect(new Set(answers).size).to.equal(1);
      expect(ids).to.include(answers[0]);
      for (const { identities } of stores) expect(await identities.accountOf(identity)).to.equal(answers[0]);
    }
  });

  it('belong to one account until they are removed, for every instance', async () => {
    const [one, other] = await pair();
    const [first, second] = [await anAccount(one.accounts, 0), await anAccount(one.accounts, 0)];
    const identity = anIdentity();
    expect(await one.identities.accountOf(identity)).to.equal(null);
    expect(await one.identities.join(identity, first.id, joining)).to.equal(first.id);
    expect(await other.identities.join(identity, second.id, joining)).to.equal(first.id);
    expect(await other.identities.accountOf(identity)).to.equal(first.id);
  });

  it('may be several for one account', async () => {
    const { identities, accounts } = await instance();
    const { id } = await anAccount(accounts, 0);
    const some = [anIdentity(), anIdentity()];
    for (const identity of some) expect(await identities.join(identity, id, joining)).to.equal(id);
    for (const identity of some) expect(await identities.accountOf(identity)).to.equal(id);
  });

  it('are distinct by issuer and subject, however the two are split', async () => {
    const { identities, accounts } = await instance();
    const { id } = await anAccount(accounts, 0);
    const name = randomUUID();
    await identities.join({ issuer: `${name}/a`, subject: 'b', joinedAt: NOON }, id, joining);
    const others: readonly Identity[] = [
      { issuer: name, subject: 'b' },
      { issuer: name, subject: '/ab' },
      { issuer: `${name}/ab`, subject: '' },
      { issuer: `${name}/a`, subject: 'B' },
      { issuer: `${name}/a`, subject: 'c' },
      { issuer: 'b', subject: `${name}/a` },
      { issuer: `${name}/a`, subject: 'b\u0000' },
    ];
    for (const other of others)
      expect(await identities.accountOf(other), JSON.stringify(other)).to.equal(null);
  });

  describe('are joined with a record', () => {
    const eventsOf = async ({ accounts }: Store, id: AccountId) =>
      (await accounts.auditOf(id)).map(({ event }) => event);

    it('once, in ten concurrent joins, and not for a late one', async () => {
      const stores = await pair();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id } = await anAccount(stores[0].accounts, 0);
        const identity = anIdentity();
        const join = (store: Store) => store.identities.join(identity, id, joining);
        await Promise.all(Array.from({ length: 10 }, (_, i) => join(stores[(i % 2) as 0 | 1])));
        expect(await eventsOf(stores[0], id)).to.deep.equal(['opened', 'identity_joined']);
        const other = await anAccount(stores[0].accounts, 0);
        await stores[1].identities.join(identity, other.id, joining);
        expect(await eventsOf(stores[0], other.id)).to.deep.equal(['opened']);
      }
    });

    it('that has a notice to the owner, as every change does', async () => {
      const { identities, accounts, outbox } = await instance();
      const { id, email } = await anAccount(accounts, 0);
      await identities.join(anIdentity(), id, joining);
      const notices = (await outbox.claim(JOINED, 1_000)).filter(({ notice }) => notice.to === email);
      expect(notices.map(({ notice }) => notice.news)).to.deep.equal([
        { kind: 'identity_joined', issuer: 'id.example' },
      ]);
    });

    it('or not at all, and are not removed without one', async () => {
      const { identities, accounts } = await instance();
      const { id } = await anAccount(accounts, 0);
      const identity = anIdentity();
      const broken = () => {
        throw new Error('no record');
      };
      const fails = async (doing: Promise<unknown>) =>
        expect(await doing.then(() => 'done', String)).to.include('no record');
      await fails(identities.join(identity, id, broken));
      expect(await identities.accountOf(identity)).to.equal(null);
      expect(await identities.of(id)).to.deep.equal([]);
      await identities.join(identity, id, joining);
      await fails(identities.removeAll(id, broken));
      expect(await identities.of(id)).to.deep.equal([identity]);
    });

    it('of an existing account', async () => {
      const { identities } = await instance();
      const [nobody, identity] = ['acc_nobody' as AccountId, anIdentity()];
      const answer = await identities.join(identity, nobody, joining).then(
        () => 'joined',
        () => 'refused',
      );
      expect([answer, await identities.accountOf(identity)]).to.deep.equal(['refused', null]);
      for (const id of [nobody, 'acc\u0000' as AccountId]) {
        expect(await identities.of(id)).to.deep.equal([]);
        expect(await identities.removeAll(id, removing)).to.deep.equal({
          refused: 'not_found',
          what: 'account',
        });
      }
    });
  });

  it('are listed by account, in the order in which they joined', async () => {
    const { identities, accounts } = await instance();
    const [mine, other] = [await anAccount(accounts, 0), await anAccount(accounts, 0)];
    const [late, early, foreign] = [anIdentity(plus(NOON, MINUTE)), anIdentity(), anIdentity()];
    await identities.join(late, mine.id, joining);
    await identities.join(early, mine.id, joining);
    await identities.join(foreign, other.id, joining);
    expect(await identities.of(mine.id)).to.deep.equal([early, late]);
    expect(await identities.of(other.id)).to.deep.equal([foreign]);
  });

  it('are removed for every instance, all of only one account, and may join any account again', async () => {
    const [one, other] = await pair();
    const [mine, theirs] = [await anAccount(one.accounts, 0), await anAccount(one.accounts, 0)];
    const [some, foreign] = [[anIdentity(), anIdentity()], anIdentity()];
    for (const identity of some) await one.identities.join(identity, mine.id, joining);
    await one.identities.join(foreign, theirs.id, joining);
    expect(accepted(await other.identities.removeAll(mine.id, removing))).to.deep.equal(mine);
    for (const identity of some) expect(await one.identities.accountOf(identity)).to.equal(null);
    expect([await one.identities.of(mine.id), await one.identities.of(theirs.id)]).to.deep.equal([
      [],
      [foreign],
    ]);
    expect((await one.accounts.auditOf(mine.id)).at(-1)?.event).to.equal('identities_removed');
    const [first = foreign] = some;
    expect(await other.identities.join(first, theirs.id, joining)).to.equal(theirs.id);
    expect(await one.identities.join(first, mine.id, joining)).to.equal(theirs.id);
  });

  it('are joined or removed if both are concurrent, and the record shows the order', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await anAccount(stores[0].accounts, 0);
      const identity = anIdentity();
      await Promise.all([
        stores[0].identities.join(identity, id, joining),
        stores[1].identities.removeAll(id, removing),
      ]);
      const last = (await stores[0].accounts.auditOf(id)).at(-1)?.event;
      expect(await stores[1].identities.accountOf(identity)).to.equal(last === 'identity_joined' ? id : null);
    }
  });
});
