import { expect } from 'chai';
import { accepted } from '../../../support/objects/builders.js';
import { GithubStub } from '../../../support/servers/github-stub.js';
import { type OpenIdProvider, startOpenIdProvider } from '../../../support/servers/openid-provider.js';
import { ask, type Composed, composed } from '../../../support/service/composed.js';
import { type PageAnswer, Visitor } from '../../../support/service/visitor.js';

describe('Signing in to the dashboard with a provider', () => {
  let openId: OpenIdProvider;
  let github: GithubStub;
  let service: Composed;
  before(async () => {
    openId = await startOpenIdProvider({
      callbackUrls: ['http://localhost/dashboard/sign-in/oidc/callback'],
    });
    github = await GithubStub.start();
    service = await composed({
      OIDC_ISSUER: openId.issuer,
      OIDC_CLIENT_ID: openId.clientId,
      OIDC_CLIENT_SECRET: openId.clientSecret,
      OIDC_NAME: 'Acme',
      GITHUB_CLIENT_ID: github.clientId,
      GITHUB_CLIENT_SECRET: github.clientSecret,
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.apiUrl,
    });
  });
  after(async () => {
    await service.stop();
    await openId.stop();
    await github.stop();
  });

  const visitor = () => new Visitor(service.url);
  const left = async (person: Visitor, provider: string) => {
    const answer = await person.openOnce(`/dashboard/sign-in/${provider}`);
    expect(answer.status).to.equal(303);
    return answer.headers['location'] ?? '';
  };
  const back = (person: Visitor, url: string): Promise<PageAnswer> => {
    const { pathname, search } = new URL(url);
    return person.open(`${pathname}${search}`);
  };
  const signIn = async (name: string, person = visitor()) =>
    back(person, await openId.answer(await left(person, 'oidc'), name));

  it('offers the configured providers by name', async () => {
    const page = await visitor().open('/dashboard/sign-in');
    expect(page.text).to.include('Sign in with Acme').and.include('Sign in with GitHub');
    expect((await visitor().open('/dashboard/sign-in/nobody')).status).to.equal(404);
  });

  it('creates a Free account at the first sign-in and finds it at the next', async () => {
    openId.people.set('ada', { email: 'ada@example.org', email_verified: true });
    const first = await signIn('ada');
    expect(first.text).to.include('You have no keys yet').and.include('ada@example.org');
    const account = await service.parts.accounts.findByEmail('ada@example.org');
    expect(account?.subscription.plan).to.equal('free');
    openId.people.set('ada', { email: 'ada@elsewhere.example', email_verified: true });
    expect((await signIn('ada')).text).to.include('ada@example.org');
    expect(await service.parts.accounts.findByEmail('ada@elsewhere.example')).to.equal(null);
  });

  it('connects to the account of an email address only if the provider has verified the address', async () => {
    const identity = { email: 'bob@example.org', plan: 'pro', processorCustomerId: null } as const;
    const account = accepted(await service.parts.openAccount(identity, 'test'));
    openId.people.set('mallory', { email: 'bob@example.org', email_verified: false });
    const refused = await signIn('mallory');
    expect([refused.status, refused.text.includes('has not verified')]).to.deep.equal([403, true]);
    openId.people.set('bob', { email: 'Bob@Example.org', email_verified: true });
    const joined = await signIn('bob');
    expect(joined.text).to.include('0 of 5 keys in use on the Pro plan').and.include(account.email);
  });

  it('uses the verified primary address of GitHub', async () => {
    const person = visitor();
    const emails = [
      { email: 'other@example.org', primary: false, verified: true },
      { email: 'octo@example.org', primary: true, verified: true },
    ];
    const home = await back(person, github.answer(await left(person, 'github'), { id: 7, emails }));
    expect(home.text).to.include('octo@example.org');
  });

  it('accepts the answer of a provider once, in the browser that started the sign-in', async () => {
    openId.people.set('eve', { email: 'eve@example.org', email_verified: true });
    const person = visitor();
    const url = await openId.answer(await left(person, 'oidc'), 'eve');
    const elsewhere = await back(visitor(), url);
    expect([elsewhere.status, elsewhere.text.includes('started in another browser')]).to.deep.equal([
      403,
      true,
    ]);
    expect((await back(person, url)).status).to.equal(200);
    expect((await back(person, url)).status).to.equal(403);
    expect(
      (await back(visitor(), `${service.url}/dashboard/sign-in/github/callback?code=x`)).status,
    ).to.equal(403);
  });

  it('reports a canceled sign-in and allows another attempt', async () => {
    const person = visitor();
    openId.people.set('dan', { email: 'dan@example.org', email_verified: true });
    const denied = await back(person, await openId.answer(await left(person, 'oidc'), 'dan', 'denied'));
    expect([denied.status, denied.text.includes('Sign-in failed')]).to.deep.equal([403, true]);
    expect((await signIn('dan', person)).status).to.equal(200);
  });

  it('does not start a sign-in for a link from another site, and counts no attempt', async () => {
    for (let i = 0; i < 40; i += 1) {
      const answer = await ask(`${service.url}/dashboard/sign-in/github`, {
        headers: { 'Sec-Fetch-Site': 'cross-site' },
      });
      expect([answer.status, answer.headers['location']]).to.deep.equal([303, '/dashboard/sign-in']);
    }
    expect(await left(visitor(), 'github')).to.include(github.url);
  });

  it('reports that a provider is unavailable', async () => {
    const person = visitor();
    const url = await openId.answer(await left(person, 'oidc'), 'ada');
    openId.instead = () => 503;
    const away = await back(person, url);
    openId.instead = () => null;
    expect([away.status, away.headers['retry-after']]).to.deep.equal([503, '1']);
  });

  it('lists the connected providers and disconnects them all on request, with every session', async () => {
    openId.people.set('fay', { email: 'fay@example.org', email_verified: true });
    const [first, other] = [visitor(), visitor()];
    await signIn('fay', first);
    await signIn('fay', other);
    const { id } = (await service.parts.accounts.findByEmail('fay@example.org')) ?? expect.fail('no account');
    const page = await first.open('/dashboard/subscription');
    expect(page.text).to.include('Sign-in methods You can sign in with a link emailed to fay@example.org');
    expect(page.text).to.include(`${new URL(openId.issuer).host} 12:00`);
    expect(page.text).to.include('This signs you out everywhere');
    const left = await first.submit('/dashboard/forget-sign-ins');
    expect(left.text).to.include('Sign in with Acme');
    for (const person of [first, other]) {
      expect((await person.openOnce('/dashboard/keys')).headers['location']).to.equal('/dashboard/sign-in');
    }
    expect([...first.cookies.keys()]).not.to.include('oddswire_session');
    expect(await service.parts.identities.of(id)).to.deep.equal([]);
    expect((await service.parts.accounts.auditOf(id)).at(-1)).to.include({
      ...{ event: 'identities_removed', actor: 'customer', reason: null },
    });

    openId.people.set('fay', { email: 'fay@elsewhere.example', email_verified: true });
    const elsewhere = await signIn('fay');
    expect(elsewhere.text).to.include('fay@elsewhere.example').and.not.include('fay@example.org');
    expect(await service.parts.identities.of(id)).to.deep.equal([]);
  });

  it('disconnects nothing for a forged form, a form of another account, or without a session', async () => {
    for (const name of ['gus', 'hal']) {
      openId.people.set(name, { email: `${name}@example.org`, email_verified: true });
    }
    const [gus, hal] = [visitor(), visitor()];
    await signIn('gus', gus);
    await signIn('hal', hal);
    const account =
      (await service.parts.accounts.findByEmail('gus@example.org')) ?? expect.fail('no account');
    const path = '/dashboard/forget-sign-ins';
    const forge = async (person: Visitor, token: string, site = 'same-origin') =>
      (await person.post(path, { form_token: token }, { 'Sec-Fetch-Site': site })).status;
    const [ours, theirs] = [gus.formToken, hal.formToken];
    expect(await forge(gus, '')).to.equal(403);
    expect(await forge(gus, theirs)).to.equal(403);
    expect(await forge(gus, ours, 'cross-site')).to.equal(403);
    expect(await forge(visitor(), ours)).to.equal(401);
    expect((await gus.openOnce(path)).status).to.equal(405);
    expect(await service.parts.identities.of(account.id)).to.have.length(1);
    expect((await gus.open('/dashboard/keys')).status).to.equal(200);

    // Disconnecting affects only the own account.
    await hal.open('/dashboard/subscription');
    await hal.submit(path);
    expect(await service.parts.identities.of(account.id)).to.have.length(1);
    expect((await gus.open('/dashboard/keys')).status).to.equal(200);
  });

  it('keeps codes, states and secrets out of the log', async () => {
    const person = visitor();
    const url = await openId.answer(await left(person, 'oidc'), 'ada');
    await back(person, url);
    const secrets = [...new URL(url).searchParams.values()].filter((value) => value.length > 20);
    expect(secrets.length).to.be.greaterThan(1);
    const lines = JSON.stringify(service.lines);
    expect(secrets.filter((secret) => lines.includes(secret))).to.deep.equal([]);
  });
});
