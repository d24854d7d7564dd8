import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { ADA, ada, type Person, providerSignIn, throughProvider } from '../../support/service/sign-in.js';

describe('Signing in with an identity provider', () => {
  let { signIn, oidc, github, answer, started, holder } = providerSignIn();
  beforeEach(() => {
    ({ signIn, oidc, github, answer, started, holder } = providerSignIn());
  });

  const known = async (email = ADA) =>
    accepted(await signIn.openAccount({ email, plan: 'pro', processorCustomerId: null }, 'operator'));
  const entries = async (id: AccountId) =>
    (await signIn.accounts.auditOf(id)).map(({ event, actor }) => `${event} by ${actor}`);
  /** The notices to account owners since the last call. */
  const notices = async () => {
    const queued = await signIn.outbox.claim(plus(signIn.clock.at, DAY), 1_000);
    return queued.map(({ notice }) => ({ to: notice.to, ...notice.news }));
  };

  it('opens a Free account the first time, and finds that account from then on (D27)', async () => {
    const { session, secret } = await started(ada);
    const account = (await signIn.accounts.findByEmail(ADA)) ?? expect.fail('no account');
    expect(account.openedPlan).to.equal('free');
    expect(session.holder).to.deep.equal({ kind: 'account', account: account.id });
    expect(await signIn.findSession(secret)).to.deep.equal(session);
    expect(await holder(ada)).to.deep.equal(session.holder);
    expect(await entries(account.id)).to.deep.equal(['opened by customer', 'identity_joined by customer']);
    expect(await notices()).to.deep.equal([]);
  });

  it('fails for an empty subject and for one with control characters or lone surrogates, and opens no account', async () => {
    for (const subject of ['', 'u\u0000', 'u\n', 'u\ud83d'])
      expect(await answer({ subject, email: ADA })).to.equal('failed');
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
  });

  it('joins the account with the address that the provider has verified, in any letter case (D42)', async () => {
    const { id } = await known();
    expect(await holder({ subject: 'u1', email: 'ADA@Example.org' })).to.deep.equal({
      kind: 'account',
      account: id,
    });
    expect(await holder({ ...ada, subject: 'u2' }, { provider: github })).to.include({ account: id });
  });

  it('reports that the address is missing or not verified, and stores nothing', async () => {
    const { id } = await known();
    for (const email of [null, 'no address', 'ada@example.org, eve@example.org']) {
      expect(await answer({ subject: 'u1', email })).to.equal('email not verified');
    }
    expect(await signIn.identities.accountOf({ issuer: 'https://oidc.example', subject: 'u1' })).to.equal(
      null,
    );
    expect(await signIn.accounts.auditOf(id)).to.have.length(1);
    expect(await signIn.accounts.findByEmail('no address')).to.equal(null);
  });

  it('finds the account by identity, not by address, once it is known', async () => {
    const first = await holder(ada);
    await known('eve@example.org');
    for (const email of ['new@example.org', 'eve@example.org', null]) {
      expect(await holder({ ...ada, email })).to.deep.equal(first);
    }
    expect(await signIn.accounts.findByEmail('new@example.org')).to.equal(null);
  });

  it('does not treat the same subject at another provider as the same person', async () => {
    const first = await holder(ada);
    const other = await holder({ subject: 'u1', email: 'eve@example.org' }, { provider: github });
    expect(other).not.to.deep.equal(first);
  });

  it('opens one account if a person returns twice concurrently', async () => {
    const [one, other] = await Promise.all([holder(ada), holder(ada)]);
    expect(one).to.deep.equal(other);
  });

  it('records that an identity joins an account, and notifies its owner, once', async () => {
    const { id } = await known();
    signIn.clock.at = plus(NOON, MINUTE);
    await Promise.all(Array.from({ length: 10 }, () => holder(ada)));
    await holder(ada);
    expect(await entries(id)).to.deep.equal(['opened by operator', 'identity_joined by customer']);
    const { reason, at } = (await signIn.accounts.auditOf(id))[1] ?? expect.fail('no entry');
    expect([reason, at]).to.deep.equal(['oidc.example', signIn.clock.at]);
    expect(await notices()).to.deep.equal([{ to: ADA, kind: 'identity_joined', issuer: 'oidc.example' }]);
    await holder(ada, { provider: github });
    expect(await notices()).to.deep.equal([{ to: ADA, kind: 'identity_joined', issuer: 'github.example' }]);
    expect(JSON.stringify(await signIn.accounts.auditOf(id))).not.to.include('u1');
  });

  it('sends no notice of the sign-in that opened the account, whatever the clock does in the meantime', async () => {
    let reads = 0;
    const at = () => plus(NOON, ++reads * MICROSECOND);
    Object.defineProperty(signIn.clock, 'at', { get: at });
    await Promise.all(Array.from({ length: 10 }, () => holder(ada)));
    const { id } = (await signIn.accounts.findByEmail(ADA)) ?? expect.fail('no account');
    expect(await entries(id)).to.deep.equal(['opened by customer', 'identity_joined by customer']);
    expect(await notices()).to.deep.equal([]);
  });

  describe('after identities were forgotten', () => {
    it('joins again only by the address of the account, with a new entry and notice', async () => {
      const { id } = await known();
      signIn.clock.at = plus(NOON, MINUTE);
      const before = await started(ada);
      accepted(await signIn.forgetIdentities(id, null, 'customer'));
      expect(await signIn.findSession(before.secret)).to.equal(null);
      signIn.clock.at = plus(NOON, HOUR);
      const other = await holder({ ...ada, email: 'eve@example.org' });
      expect(other).not.to.deep.equal({ kind: 'account', account: id });
      await holder({ subject: 'u3', email: ADA });
      expect(await entries(id)).to.deep.equal([
        'opened by operator',
        'identity_joined by customer',
        'identities_removed by customer',
        'identity_joined by customer',
      ]);
      expect((await notices()).map(({ to }) => to)).to.deep.equal([ADA, ADA]);
    });

    it('ends the sessions of concurrent sign-ins', async () => {
      const { account } = (await holder(ada)) as { readonly account: AccountId };
      for (const stage of ['before', 'after'] as const) {
        await holder(ada);
        const identities = signIn.identities;
        const forget = () => signIn.forgetIdentities(account, null, 'customer');
        const use = signIn.byProvider([oidc], undefined, async (begin) => {
          if (stage === 'before') await forget();
          const session = await begin();
          if (stage === 'after') await forget();
          return session;
        });
        expect(await throughProvider(use, oidc).answer(ada), stage).to.equal('failed');
        expect(await identities.of(account)).to.deep.equal([]);
        const [session] = signIn.begun.slice(-1);
        expect(await signIn.findSession(session?.secret ?? expect.fail('no session'))).to.equal(null);
      }
    });

    it('keeps the sessions and identities of other accounts, and refuses an unknown account', async () => {
      const eve = await started({ subject: 'u2', email: 'eve@example.org' });
      const { account } = (await holder(ada)) as { readonly account: AccountId };
      await signIn.forgetIdentities(account, null, 'customer');
      expect(await signIn.findSession(eve.secret)).to.deep.equal(eve.session);
      expect(await holder({ subject: 'u2' })).to.deep.equal(eve.session.holder);
      expect(await signIn.forgetIdentities('acc_nobody' as AccountId, null, 'customer')).to.deep.equal({
        refused: 'not_found',
        what: 'account',
      });
    });
  });

  it('ends the previous session of the browser', async () => {
    const first = await started(ada);
    const second = await started(ada, { previous: first.secret });
    expect(await signIn.findSession(first.secret)).to.equal(null);
    expect(await signIn.findSession(second.secret)).to.deep.equal(second.session);
  });

  describe('as an operator (D30)', () => {
    const asOperator = (person: Person) => answer(person, { audience: 'operator' });

    it('accepts members of the group, named by their address, or else by their subject', async () => {
      const held = await Promise.all(
        [
          { ...ada, groups: ['staff', 'ops'] },
          { subject: 'u2', groups: ['ops'] },
        ].map((person) => holder(person, { audience: 'operator' })),
      );
      expect(held).to.deep.equal([
        { kind: 'operator', name: `operator ${ADA}`, by: { group: 'ops' } },
        { kind: 'operator', name: `operator u2 at https://oidc.example`, by: { group: 'ops' } },
      ]);
    });

    it('accepts nobody else, however similar the group, and opens no account', async () => {
      for (const groups of [[], ['OPS'], ['op'], ['ops2'], ['o', 'p', 's'], ['']]) {
        expect(await asOperator({ ...ada, groups }), groups.join()).to.equal('not an operator');
      }
      await holder({ ...ada, groups: ['ops'] }, { audience: 'operator' });
      expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
      expect(await signIn.identities.accountOf({ issuer: 'https://oidc.example', subject: 'u1' })).to.equal(
        null,
      );
    });

    it('accepts nobody if no group is set', async () => {
      const withoutGroup = throughProvider(signIn.byProvider([oidc]), oidc);
      for (const groups of [['ops'], ['undefined'], ['']]) {
        const person = { ...ada, groups };
        expect(await withoutGroup.answer(person, { audience: 'operator' })).to.equal('not an operator');
      }
    });

    it('gives nobody operator rights in the dashboard', async () => {
      expect(await holder({ ...ada, groups: ['ops'] })).to.include({ kind: 'account' });
    });
  });
});
