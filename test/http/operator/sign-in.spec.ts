import { expect } from 'chai';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { GithubStub } from '../../support/servers/github-stub.js';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/servers/openid-provider.js';
import { type Composed, composed, keyHolder, requestNews } from '../../support/service/composed.js';
import { Visitor, visitorOf } from '../../support/service/visitor.js';

const SIGN_IN = '/operator/sign-in';
const TOKEN = 'operator-token-of-the-tests';

describe('The sign-in to the operator console', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ LOG_LEVEL: 'trace' });
  });
  after(() => service.stop());

  const visitor = () => new Visitor(service.url);
  const signedIn = async () => {
    const person = visitor();
    expect((await person.submit(SIGN_IN, { token: TOKEN })).status).to.equal(200);
    return person;
  };

  it('accepts the operator token and starts an operator session', async () => {
    const person = visitor();
    expect((await person.open('/operator')).text).to.include('Operator token');
    const page = await person.submit(SIGN_IN, { token: TOKEN });
    expect(page.text).to.include('Accounts').and.include('Sign out everywhere');
    expect([...person.cookies.keys()]).to.deep.equal(['oddswire_operator']);
    expect(page.headers['cache-control']).to.equal('no-store');
    expect(page.headers['content-security-policy']).to.include("default-src 'none'");
  });

  it('starts a new session each time and ends the previous one', async () => {
    const person = await signedIn();
    const before = person.cookies.get('oddswire_operator') ?? '';
    await person.submit(SIGN_IN, { token: TOKEN });
    expect(person.cookies.get('oddswire_operator')).to.not.equal(before);
    const other = visitor();
    other.cookies.set('oddswire_operator', before);
    expect((await other.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
  });

  it('rejects a wrong token without repeating or logging it', async () => {
    const person = visitor();
    const page = await person.submit(SIGN_IN, { token: 'operator-tokens' });
    expect([page.status, person.cookies.size]).to.deep.equal([403, 0]);
    expect(page.html).to.not.include('operator-tokens');
    expect(JSON.stringify(service.lines)).to.not.include('operator-tokens');
  });

  it('refuses even the right token after too many attempts', async () => {
    const own = await composed();
    try {
      const person = new Visitor(own.url);
      for (let i = 0; i < 30; i += 1) {
        expect((await person.submit(SIGN_IN, { token: 'no' })).status).to.equal(403);
      }
      const page = await person.submit(SIGN_IN, { token: TOKEN });
      expect([page.status, person.cookies.size]).to.deep.equal([429, 0]);
      expect(Number(page.headers['retry-after'])).to.be.greaterThan(0);
    } finally {
      await own.stop();
    }
  });

  it('rejects a form from another site', async () => {
    const person = visitor();
    const answer = await person.post(SIGN_IN, { token: TOKEN }, { 'Sec-Fetch-Site': 'cross-site' });
    expect([answer.status, person.cookies.size]).to.deep.equal([403, 0]);
  });

  it('does not accept a dashboard session, nor does the dashboard accept an operator session', async () => {
    const { account, value } = await keyHolder(service);
    const customer = await visitorOf(service, account);
    const secret = customer.cookies.get('oddswire_session') ?? '';
    customer.cookies.set('oddswire_operator', secret);
    expect((await customer.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
    const path = `/operator/accounts/${account}/acts/hold`;
    expect((await customer.submit(path, { reason: 'x' })).status).to.equal(401);
    expect((await requestNews(service, value)).status).to.equal(200);

    const person = await signedIn();
    person.cookies.set('oddswire_session', person.cookies.get('oddswire_operator') ?? '');
    expect((await person.openOnce('/dashboard/keys')).headers.location).to.equal('/dashboard/sign-in');
  });

  it('does not accept a session that was started with an earlier token', async () => {
    const person = await signedIn();
    const token = service.parts.secrets.hash('the earlier token, which is another one');
    const holder = { kind: 'operator', name: 'operator', by: { token } } as const;
    const { secret } = await service.parts.startSession(holder, null);
    person.cookies.set('oddswire_operator', secret);
    expect((await person.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
  });

  it('logs each attempt, right or wrong, without the token', async () => {
    await signedIn();
    await visitor().submit(SIGN_IN, { token: 'a wrong one' });
    await service.line(({ msg }) => msg === 'an operator signed in');
    await service.line(({ msg }) => msg.startsWith('a wrong operator token'));
    const lines = JSON.stringify(service.lines);
    expect(lines).not.to.include(TOKEN).and.not.include('a wrong one');
  });

  it('ends a session after an hour without a visit', async () => {
    const person = await signedIn();
    const started = service.clock.at;
    try {
      service.clock.at = plus(started, HOUR);
      expect((await person.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
    } finally {
      service.clock.at = started;
    }
  });

  it('ends one session on sign-out, and all sessions on sign-out everywhere', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const secret = one.cookies.get('oddswire_operator') ?? '';
    expect((await one.submit('/operator/sign-out')).text).to.include('Operator token');
    one.cookies.set('oddswire_operator', secret);
    expect((await one.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
    expect((await other.openOnce('/operator')).status).to.equal(200);

    const third = await signedIn();
    await third.submit('/operator/sign-out', { everywhere: 'yes' });
    expect((await other.openOnce('/operator')).headers.location).to.equal(SIGN_IN);
  });

  it('answers 404 if the console is switched off, while the dashboard still works', async () => {
    const own = await composed({ OPERATOR_CONSOLE: 'off' });
    try {
      const person = new Visitor(own.url);
      for (const path of ['/operator', SIGN_IN, '/operator/accounts/x']) {
        expect((await person.openOnce(path)).status, path).to.equal(404);
      }
      expect((await person.post(SIGN_IN, { token: TOKEN })).status).to.equal(404);
      expect((await person.open('/dashboard')).status).to.equal(200);
    } finally {
      await own.stop();
    }
  });

  it('is not available over plain http from another machine', async () => {
    const own = await composed({ PUBLIC_URL: 'http://odds.example.com' });
    try {
      const person = new Visitor(own.url);
      expect((await person.open(SIGN_IN)).text).to.include('Sign-in is not available here');
      expect((await person.post(SIGN_IN, { token: TOKEN })).status).to.equal(405);
    } finally {
      await own.stop();
    }
  });
});

describe('The sign-in to the operator console with a provider group', () => {
  let openId: OpenIdProvider;
  let github: GithubStub;
  let service: Composed;
  before(async () => {
    openId = await startOpenIdProvider({
      callbackUrls: [
        'http://localhost/operator/sign-in/oidc/callback',
        'http://localhost/dashboard/sign-in/oidc/callback',
      ],
    });
    github = await GithubStub.start();
    service = await composed({
      OIDC_ISSUER: openId.issuer,
      OIDC_CLIENT_ID: openId.clientId,
      OIDC_CLIENT_SECRET: openId.clientSecret,
      OIDC_NAME: 'Acme',
      OPERATOR_GROUP: 'odds-operators',
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

  const left = async (person: Visitor, path = `${SIGN_IN}/oidc`) =>
    (await person.openOnce(path)).headers.location ?? '';
  const back = (person: Visitor, url: string) => {
    const { pathname, search } = new URL(url);
    return person.open(`${pathname}${search}`);
  };

  it('admits members of the group and records their actions under their name (D25)', async () => {
    openId.people.set('ada', { email: 'Ada@Example.org', email_verified: true, groups: ['odds-operators'] });
    const person = new Visitor(service.url);
    expect((await person.open(SIGN_IN)).text)
      .to.include('Sign in with Acme')
      .and.include('Operator token');
    const page = await back(person, await openId.answer(await left(person), 'ada'));
    expect(page.text).to.include('operator ada@example.org');
    expect([...person.cookies.keys()]).to.deep.equal(['oddswire_operator']);

    const { account, value } = await keyHolder(service);
    const path = `/operator/accounts/${account}/acts/hold`;
    await person.open(path);
    await person.submit(path, { reason: 'a call' });
    const entry = (await service.parts.accounts.auditOf(account)).at(-1);
    expect(entry).to.include({ actor: 'operator ada@example.org', event: 'held', reason: 'a call' });
    expect((await requestNews(service, value)).status).to.equal(402);
  });

  it('rejects other users and creates no account for them', async () => {
    openId.people.set('eve', { email: 'eve@example.org', email_verified: true, groups: ['odds'] });
    const person = new Visitor(service.url);
    const page = await back(person, await openId.answer(await left(person), 'eve'));
    expect(page.status).to.equal(403);
    expect(page.text).to.include('not in the operator group');
    expect(person.cookies.has('oddswire_operator')).to.equal(false);
    expect(await service.parts.accounts.findByEmail('eve@example.org')).to.equal(null);
  });

  it('rejects a provider answer that was issued for the dashboard', async () => {
    openId.people.set('ada', { email: 'ada@example.org', email_verified: true, groups: ['odds-operators'] });
    const person = new Visitor(service.url);
    const url = await openId.answer(await left(person, '/dashboard/sign-in/oidc'), 'ada');
    const page = await back(person, url.replace('/dashboard/', '/operator/'));
    expect([page.status, person.cookies.has('oddswire_operator')]).to.deep.equal([403, false]);
  });

  it('does not offer a provider without groups', async () => {
    const person = new Visitor(service.url);
    expect((await person.open(SIGN_IN)).text).to.not.include('GitHub');
    expect((await person.openOnce(`${SIGN_IN}/github`)).status).to.equal(404);
  });

  it('does not offer a provider if no group is configured', async () => {
    const own = await composed({
      OIDC_ISSUER: openId.issuer,
      OIDC_CLIENT_ID: openId.clientId,
      OIDC_CLIENT_SECRET: openId.clientSecret,
    });
    try {
      const person = new Visitor(own.url);
      expect((await person.open(SIGN_IN)).text).to.not.include('Sign in with');
      expect((await person.openOnce(`${SIGN_IN}/oidc`)).status).to.equal(404);
    } finally {
      await own.stop();
    }
  });
});
