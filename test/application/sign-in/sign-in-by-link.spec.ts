import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { client, emailAddress, type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const ADA = emailAddress('ada@example.org');
const HERE = client('192.0.2.1');

describe('Signing in by a mailed link', () => {
  let signIn: SignIn;
  beforeEach(() => {
    signIn = signInInMemory();
  });

  const asked = async (email = ADA, address = HERE): Promise<string> => {
    const answer = await signIn.byLink.ask(email, address);
    return answer.outcome === 'asked' ? answer.asker : expect.fail(answer.outcome);
  };
  /** The secret in the last mailed link. */
  const mailed = (): string => {
    const url = signIn.mailbox.links.at(-1)?.url ?? expect.fail('no mail');
    return new URL(url).searchParams.get('token') ?? expect.fail(url);
  };
  const open = (secret: string, previous: string | null = null) => signIn.byLink.open(secret, HERE, previous);
  const opened = async (...parts: Parameters<typeof open>) => {
    const started = (await open(...parts)) ?? expect.fail('the link is not valid');
    return 'refused' in started ? expect.fail(started.refused) : started;
  };
  const known = async () =>
    accepted(await signIn.openAccount({ email: ADA, plan: 'pro', processorCustomerId: null }, 'operator'));

  it('starts a session of the account with this address, from the mail to the page', async () => {
    const { id } = await known();
    await asked(emailAddress('ADA@Example.org'));
    expect(signIn.mailbox.links.map(({ to, endsAt }) => [to, endsAt])).to.deep.equal([
      [ADA, plus(NOON, 15 * MINUTE)],
    ]);
    const { session, secret } = await opened(mailed());
    expect(session).to.deep.equal({
      holder: { kind: 'account', account: id },
      startedAt: NOON,
      seenAt: NOON,
    });
    expect(await signIn.findSession(secret)).to.deep.equal(session);
  });

  it('opens a Free account with the first link of an address, and no other with the next (D27)', async () => {
    await asked();
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
    const first = await opened(mailed());
    const account = await signIn.accounts.findByEmail(ADA);
    expect(account).to.deep.include({ email: ADA, openedPlan: 'free', keys: [] });
    await asked();
    expect((await opened(mailed())).session.holder).to.deep.equal(first.session.holder);
    const audit = await signIn.accounts.auditOf(account?.id ?? expect.fail('no account'));
    expect(audit.map(({ actor, event }) => [actor, event])).to.deep.equal([['customer', 'opened']]);
  });

  it('gives the same answer whether or not there is an account', async () => {
    await known();
    const answers = [
      await signIn.byLink.ask(ADA, HERE),
      await signIn.byLink.ask(emailAddress('nobody@example.org'), HERE),
    ];
    for (const answer of answers) {
      expect(answer).to.have.all.keys('outcome', 'asker').and.include({ outcome: 'asked' });
    }
    expect(signIn.mailbox.links).to.have.length(2);
  });

  it('mails one address five times in 15 minutes, and gives the same answer for the sixth, without a mail', async () => {
    for (let i = 0; i < 5; i += 1) await asked(ADA, client(`192.0.2.${i}`));
    const sixth = await signIn.byLink.ask(ADA, client('192.0.2.6'));
    expect(sixth).to.have.all.keys('outcome', 'asker').and.include({ outcome: 'asked' });
    expect(signIn.mailbox.links).to.have.length(5);
    await asked(emailAddress('eve@example.org'));
    expect(signIn.mailbox.links).to.have.length(6);
    signIn.clock.at = plus(NOON, 15 * MINUTE);
    await asked();
    expect(signIn.mailbox.links).to.have.length(7);
  });

  it('allows 30 requests from one client address in 10 minutes, then returns the seconds to wait', async () => {
    for (let i = 0; i < 30; i += 1) await asked(emailAddress(`ada${i}@example.org`));
    signIn.clock.at = plus(NOON, 8 * MINUTE);
    expect(await signIn.byLink.ask(ADA, HERE)).to.deep.equal({ outcome: 'too many', retryAfterSeconds: 120 });
    expect(signIn.mailbox.links).to.have.length(30);
    await asked(ADA, client('192.0.2.2'));
    signIn.clock.at = plus(NOON, 10 * MINUTE);
    await asked();
  });

  it('reports that mail is unavailable if it was not accepted, or if that is unknown', async () => {
    for (const delivery of ['not now', 'in doubt'] as const) {
      signIn.mailbox.delivery = delivery;
      expect(await signIn.byLink.ask(ADA, HERE), delivery).to.deep.equal({ outcome: 'mail unavailable' });
    }
  });

  it('gives the same answer for a mailbox that is refused: the client learns nothing', async () => {
    signIn.mailbox.delivery = 'refused';
    expect(await signIn.byLink.ask(ADA, HERE)).to.have.all.keys('outcome', 'asker');
  });

  it('works once', async () => {
    await asked();
    await opened(mailed());
    expect(await signIn.byLink.find(mailed(), null)).to.equal(null);
    expect(await open(mailed())).to.equal(null);
  });

  it('works for less than 15 minutes, to the microsecond', async () => {
    const asker = await asked();
    signIn.clock.at = plus(NOON, 15 * MINUTE);
    expect(await signIn.byLink.find(mailed(), asker)).to.equal(null);
    expect(await open(mailed())).to.equal(null);
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
    signIn.clock.at = plus(NOON, 15 * MINUTE - MICROSECOND);
    expect(await signIn.byLink.find(mailed(), asker)).to.deep.equal({ email: ADA, isAskedHere: true });
    await opened(mailed());
  });

  it('starts one session if the link is opened ten times concurrently', async () => {
    await asked();
    const secret = mailed();
    const openings = await Promise.all(Array.from({ length: 10 }, () => open(secret)));
    expect(openings.filter((started) => started !== null)).to.have.length(1);
  });

  it('opens one account if two links to one address are opened concurrently', async () => {
    await asked();
    const first = mailed();
    await asked();
    const both = await Promise.all([opened(first), opened(mailed())]);
    expect(both[0].session.holder).to.deep.equal(both[1].session.holder);
    expect(both[0].secret).not.to.equal(both[1].secret);
  });

  it('recognises the requesting browser, and reading the link does not use it up', async () => {
    const asker = await asked();
    const others = [await asked(), null, '', mailed()];
    await asked(emailAddress('eve@example.org'));
    const eve = mailed();
    const { url } = signIn.mailbox.links[0] ?? expect.fail('no mail');
    const secret = new URL(url).searchParams.get('token') ?? '';
    expect(await signIn.byLink.find(secret, asker)).to.deep.equal({ email: ADA, isAskedHere: true });
    for (const other of [...others, eve]) {
      expect(await signIn.byLink.find(secret, other)).to.deep.equal({ email: ADA, isAskedHere: false });
    }
    await opened(secret);
  });

  it('ends only the previous session of the browser, whoever its holder', async () => {
    const operator = await signIn.startSession(
      { kind: 'operator', name: 'operator', by: { group: 'ops' } } as const,
      null,
    );
    await asked();
    const first = await opened(mailed());
    await asked();
    const second = await opened(mailed(), first.secret);
    expect(second.secret).not.to.equal(first.secret);
    expect(await signIn.findSession(first.secret)).to.equal(null);
    expect(await signIn.findSession(second.secret)).to.deep.equal(second.session);
    expect(await signIn.findSession(operator.secret)).to.deep.equal(operator.session);
  });

  it('ends no session with a used link', async () => {
    await asked();
    const first = await opened(mailed());
    expect(await open(mailed(), first.secret)).to.equal(null);
    expect(await signIn.findSession(first.secret)).to.deep.equal(first.session);
  });

  it('works only with the secret in the mail: not that of the browser or of a flow, not a hash', async () => {
    const asker = await asked();
    const { secret, ...provider } = { secret: signIn.secrets.make(), id: 'oidc' };
    await signIn.oneTimeTokens.keep(signIn.secrets.hash(secret), {
      kind: 'flow',
      provider: provider.id,
      audience: 'dashboard',
      flow: { state: '', nonce: '', codeVerifier: '' },
      expiresAt: plus(NOON, MINUTE),
    });
    for (const other of [asker, signIn.secrets.hash(mailed()), secret, '', `${mailed()} `]) {
      expect(await signIn.byLink.find(other, asker)).to.equal(null);
      expect(await open(other)).to.equal(null);
    }
    await opened(mailed());
  });

  it('has its secret only in the mail: one-time tokens contain only hashes', async () => {
    const asker = await asked();
    const secret = mailed();
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(asker)
      .to.match(/^[\w-]{43}$/)
      .and.not.equal(secret);
    await signIn.byLink.find(secret, asker);
    await opened(secret);
    const stored = JSON.stringify(signIn.given);
    expect(stored).to.include(signIn.secrets.hash(secret)).and.include(signIn.secrets.hash(asker));
    expect(stored).not.to.include(secret).and.not.include(asker);
  });

  it('sends nothing while the counters are unavailable', async () => {
    const away = () => Promise.reject(new Unavailable('counters'));
    Object.assign(signIn.counters, { take: away });
    expect(await signIn.byLink.ask(ADA, HERE).catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
    expect(signIn.mailbox.links).to.deep.equal([]);
  });
});
