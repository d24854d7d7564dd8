import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import type { Audience } from '../../../src/domain/sign-in/sign-in.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { unavailability } from '../../support/service/faults.js';
import { client, ProviderInMemory, type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const HERE = client('192.0.2.1');
const ADA = 'ada@example.org';

type Person = Parameters<ProviderInMemory['lets']>[1];

describe('Signing in at a provider', () => {
  let signIn: SignIn;
  let oidc: ProviderInMemory;
  let github: ProviderInMemory;
  let use: ReturnType<SignIn['byProvider']>;
  beforeEach(() => {
    signIn = signInInMemory();
    [oidc, github] = [new ProviderInMemory('oidc'), new ProviderInMemory('github')];
    use = signIn.byProvider([oidc, github], 'ops');
  });

  const began = async (provider = oidc, audience: Audience = 'dashboard') => {
    const begun = await use.begin(provider.id, audience, HERE);
    return begun?.outcome === 'begun' ? begun : expect.fail('not begun');
  };
  /** All the way there and back. */
  const answer = async (
    person: Person,
    { provider = oidc, audience = 'dashboard' as Audience, previous = null as string | null } = {},
  ) => {
    const { url, secret } = await began(provider, audience);
    const query = provider.lets(url, person);
    return use.complete({ provider: provider.id, audience, query }, { secret, previous }, HERE);
  };
  const started = async (...parts: Parameters<typeof answer>) => {
    const session = await answer(...parts);
    if (typeof session === 'string') return expect.fail(session);
    return 'refused' in session ? expect.fail(session.refused) : session;
  };
  const holder = async (...parts: Parameters<typeof answer>) => (await started(...parts)).session.holder;
  const known = async (email = ADA) =>
    accepted(await signIn.openAccount({ email, plan: 'pro', processorCustomerId: null }, 'operator'));
  const entries = async (id: AccountId) =>
    (await signIn.accounts.auditOf(id)).map(({ event, actor }) => `${event} by ${actor}`);
  /** What owners of accounts were told since it was last asked. */
  const told = async () => {
    const queued = await signIn.outbox.claim(plus(signIn.clock.at, DAY), 1_000);
    return queued.map(({ notice }) => ({ to: notice.to, ...notice.news }));
  };
  const ada: Person = { subject: 'u1', email: ADA };

  it('opens a Free account the first time, and is that account from then on (D27)', async () => {
    const { session, secret } = await started(ada);
    const account = (await signIn.accounts.findByEmail(ADA)) ?? expect.fail('no account');
    expect(account.openedPlan).to.equal('free');
    expect(session.holder).to.deep.equal({ kind: 'account', account: account.id });
    expect(await signIn.findSession(secret)).to.deep.equal(session);
    expect(await holder(ada)).to.deep.equal(session.holder);
    expect(await entries(account.id)).to.deep.equal(['opened by customer', 'identity_joined by customer']);
    expect(await told()).to.deep.equal([]);
  });

  it('knows nobody whose name is empty or holds control or half characters, and opens no account for them', async () => {
    for (const subject of ['', 'u\u0000', 'u\n', 'u\ud83d'])
      expect(await answer({ subject, email: ADA })).to.equal('failed');
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
  });

  it('joins the account with the address that the provider has verified, in any case (D42)', async () => {
    const { id } = await known();
    expect(await holder({ subject: 'u1', email: 'ADA@Example.org' })).to.deep.equal({
      kind: 'account',
      account: id,
    });
    expect(await holder({ ...ada, subject: 'u2' }, { provider: github })).to.include({ account: id });
  });

  it('says that the address is not verified, or is none, and writes nothing', async () => {
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

  it('goes by the person and not by the address, once they are known', async () => {
    const first = await holder(ada);
    await known('eve@example.org');
    for (const email of ['new@example.org', 'eve@example.org', null]) {
      expect(await holder({ ...ada, email })).to.deep.equal(first);
    }
    expect(await signIn.accounts.findByEmail('new@example.org')).to.equal(null);
  });

  it('takes nobody for the same person at another provider', async () => {
    const first = await holder(ada);
    const other = await holder({ subject: 'u1', email: 'eve@example.org' }, { provider: github });
    expect(other).not.to.deep.equal(first);
  });

  it('opens one account where a person comes back twice at once', async () => {
    const [one, other] = await Promise.all([holder(ada), holder(ada)]);
    expect(one).to.deep.equal(other);
  });

  it('sends and asks with the callback of this audience and provider', async () => {
    await answer({ subject: 'u1' }, { provider: github, audience: 'operator' });
    const [sent, asked] = github.callbackUrls;
    expect(sent).to.equal('https://oddswire.example/operator/github/callback');
    expect(asked).to.match(/^https:\/\/oddswire\.example\/operator\/github\/callback\?code=/);
  });

  it('fails at another provider, for another audience, with another secret or none', async () => {
    // biome-ignore format: a table is read by its columns
    const wrong = [
      [{ provider: 'github', audience: 'dashboard' }, (secret: string) => secret],
      [{ provider: 'oidc',   audience: 'operator' },  (secret: string) => secret],
      [{ provider: 'nobody', audience: 'dashboard' }, (secret: string) => secret],
      [{ provider: 'oidc',   audience: 'dashboard' }, () => signIn.secrets.make()],
      [{ provider: 'oidc',   audience: 'dashboard' }, (secret: string) => signIn.secrets.hash(secret)],
      [{ provider: 'oidc',   audience: 'dashboard' }, () => null],
    ] as const;
    for (const [at, brought] of wrong) {
      const { url, secret } = await began();
      // It is proven wherever it is brought.
      const query = (at.provider === 'github' ? github : oidc).lets(url, { ...ada, groups: ['ops'] });
      expect(
        await use.complete({ ...at, query }, { secret: brought(secret), previous: null }, HERE),
        JSON.stringify(at),
      ).to.equal('failed');
    }
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
  });

  it('fails by the answer to another flow, and where the provider says no', async () => {
    const [mine, other] = [await began(), await began()];
    const query = oidc.lets(other.url, ada);
    const at = { provider: 'oidc', audience: 'dashboard' } as const;
    expect(await use.complete({ ...at, query }, { secret: mine.secret, previous: null }, HERE)).to.equal(
      'failed',
    );
    expect(
      await use.complete(
        { ...at, query: 'error=access_denied' },
        { secret: other.secret, previous: null },
        HERE,
      ),
    ).to.equal('failed');
  });

  it('is good once, also where the browser comes back ten times at once', async () => {
    const { url, secret } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => use.complete(at, { secret, previous: null }, HERE)),
    );
    expect(answers.filter((session) => typeof session !== 'string')).to.have.length(1);
    const again = { ...at, query: oidc.lets(url, ada) };
    expect(await use.complete(again, { secret, previous: null }, HERE)).to.equal('failed');
  });

  it('is good for less than 10 minutes, and not at that very moment', async () => {
    const at = { provider: 'oidc', audience: 'dashboard' } as const;
    const [late, timely] = [await began(), await began()];
    signIn.clock.at = plus(NOON, 10 * MINUTE);
    expect(
      await use.complete(
        { ...at, query: oidc.lets(late.url, ada) },
        { secret: late.secret, previous: null },
        HERE,
      ),
    ).to.equal('failed');
    signIn.clock.at = plus(NOON, 10 * MINUTE - MICROSECOND);
    const query = oidc.lets(timely.url, ada);
    expect(await use.complete({ ...at, query }, { secret: timely.secret, previous: null }, HERE)).not.to.be.a(
      'string',
    );
  });

  it('records that a person joins an account, and tells its owner, once', async () => {
    const { id } = await known();
    signIn.clock.at = plus(NOON, MINUTE);
    await Promise.all(Array.from({ length: 10 }, () => holder(ada)));
    await holder(ada);
    expect(await entries(id)).to.deep.equal(['opened by operator', 'identity_joined by customer']);
    const { reason, at } = (await signIn.accounts.auditOf(id))[1] ?? expect.fail('no entry');
    expect([reason, at]).to.deep.equal(['oidc.example', signIn.clock.at]);
    expect(await told()).to.deep.equal([{ to: ADA, kind: 'identity_joined', issuer: 'oidc.example' }]);
    await holder(ada, { provider: github });
    expect(await told()).to.deep.equal([{ to: ADA, kind: 'identity_joined', issuer: 'github.example' }]);
    expect(JSON.stringify(await signIn.accounts.auditOf(id))).not.to.include('u1');
  });

  it('warns nobody of the sign-in that opened the account, whatever the clock does meanwhile', async () => {
    let looks = 0;
    const at = () => plus(NOON, ++looks * MICROSECOND);
    Object.defineProperty(signIn.clock, 'at', { get: at });
    await Promise.all(Array.from({ length: 10 }, () => holder(ada)));
    const { id } = (await signIn.accounts.findByEmail(ADA)) ?? expect.fail('no account');
    expect(await entries(id)).to.deep.equal(['opened by customer', 'identity_joined by customer']);
    expect(await told()).to.deep.equal([]);
  });

  describe('once identities are forgotten', () => {
    it('joins only by the account’s address, anew, with a new entry and notice', async () => {
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
      expect((await told()).map(({ to }) => to)).to.deep.equal([ADA, ADA]);
    });

    it('lets nobody stay who was signing in meanwhile', async () => {
      const { account } = (await holder(ada)) as { readonly account: AccountId };
      for (const stage of ['before', 'after'] as const) {
        await holder(ada);
        const identities = signIn.identities;
        const forget = () => signIn.forgetIdentities(account, null, 'customer');
        use = signIn.byProvider([oidc], undefined, async (begin) => {
          if (stage === 'before') await forget();
          const session = await begin();
          if (stage === 'after') await forget();
          return session;
        });
        expect(await answer(ada), stage).to.equal('failed');
        expect(await identities.of(account)).to.deep.equal([]);
        const [session] = signIn.begun.slice(-1);
        expect(await signIn.findSession(session?.secret ?? expect.fail('no session'))).to.equal(null);
        use = signIn.byProvider([oidc, github], 'ops');
      }
    });

    it('leaves the sessions and identities of others, and says where there is no account', async () => {
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

  it('ends the session that the browser had before', async () => {
    const first = await started(ada);
    const second = await started(ada, { previous: first.secret });
    expect(await signIn.findSession(first.secret)).to.equal(null);
    expect(await signIn.findSession(second.secret)).to.deep.equal(second.session);
  });

  it('lets nobody begin at a provider that is not there, or too often', async () => {
    expect(await use.begin('nobody', 'dashboard', HERE)).to.equal(null);
    for (let i = 0; i < 30; i += 1) await began();
    expect(await use.begin('oidc', 'dashboard', HERE)).to.deep.equal({
      outcome: 'too many',
      retryAfterSeconds: 600,
    });
    expect((await use.begin('oidc', 'dashboard', client('192.0.2.2')))?.outcome).to.equal('begun');
  });

  it('says that a provider is away, going there and coming back', async () => {
    const { url, secret } = await began();
    oidc.isAway = true;
    await unavailability(use.begin('oidc', 'dashboard', HERE));
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    await unavailability(use.complete(at, { secret, previous: null }, HERE));
  });

  it('keeps of the browser’s secret its hash alone', async () => {
    const { secret, url } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    await use.complete(at, { secret, previous: null }, HERE);
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(url).not.to.include(secret);
    expect(JSON.stringify(signIn.given)).to.include(signIn.secrets.hash(secret)).and.not.include(secret);
  });

  describe('as an operator (D30)', () => {
    const asOperator = (person: Person) => answer(person, { audience: 'operator' });

    it('takes who is in the group, names them by their address, else as the provider does', async () => {
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

    it('takes nobody else, whatever group is like it, and opens no account', async () => {
      for (const groups of [[], ['OPS'], ['op'], ['ops2'], ['o', 'p', 's'], ['']]) {
        expect(await asOperator({ ...ada, groups }), groups.join()).to.equal('not an operator');
      }
      await holder({ ...ada, groups: ['ops'] }, { audience: 'operator' });
      expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
      expect(await signIn.identities.accountOf({ issuer: 'https://oidc.example', subject: 'u1' })).to.equal(
        null,
      );
    });

    it('takes nobody where no group is set', async () => {
      use = signIn.byProvider([oidc]);
      for (const groups of [['ops'], ['undefined'], ['']]) {
        expect(await asOperator({ ...ada, groups })).to.equal('not an operator');
      }
    });

    it('makes nobody an operator in the dashboard', async () => {
      expect(await holder({ ...ada, groups: ['ops'] })).to.include({ kind: 'account' });
    });
  });
});
