import { expect } from 'chai';
import sinon from 'sinon';
import { githubIdentityProvider } from '../../../src/adapters/identity/github-identity-provider.js';
import type { IdentityProvider } from '../../../src/application/ports/sign-in/identity-provider.js';
import { type GithubPerson, GithubStub } from '../../support/servers/github-stub.js';
import { everythingIn, passingTimeLimit, unavailability } from '../../support/service/faults.js';

const CALLBACK = 'http://127.0.0.1:8080/dashboard/sign-in/github/callback';

const address = (email: string, primary: boolean, verified: boolean) => ({ email, primary, verified });

const ADA: GithubPerson = {
  id: 4_711,
  emails: [address('spare@example.org', false, true), address('Ada@Example.org', true, true)],
};

const changed = (url: string, change: (query: URLSearchParams) => void): string => {
  const other = new URL(url);
  change(other.searchParams);
  return other.href;
};

/** Against a stub that checks the challenge, the client secret and the token. */
describe('Sign-in with GitHub', () => {
  let stub: GithubStub;
  let provider: IdentityProvider;
  const at = (clientSecret = stub.clientSecret) =>
    githubIdentityProvider({ url: stub.url, apiUrl: stub.apiUrl, clientId: stub.clientId, clientSecret });
  const answerOf = async (person: GithubPerson = ADA) => {
    const { url, flow } = await provider.begin(CALLBACK);
    return { flow, answeredUrl: stub.answer(url, person) };
  };
  const signIn = async (person: GithubPerson) => {
    const { answeredUrl, flow } = await answerOf(person);
    return provider.complete(answeredUrl, flow);
  };
  before(async () => {
    stub = await GithubStub.start();
  });
  beforeEach(() => {
    stub.failing = null;
    stub.apiFailing = null;
    provider = at();
  });
  after(() => stub.stop());

  it('returns the permanent number of the user, the primary email address and no groups', async () => {
    expect(await signIn(ADA)).to.deep.equal({
      issuer: stub.url,
      subject: '4711',
      email: 'ada@example.org',
      groups: [],
    });
  });

  it('sends a state and a challenge, and requests only the email addresses', async () => {
    const { url, flow } = await provider.begin(CALLBACK);
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).to.include({ state: flow.state, scope: 'user:email', code_challenge_method: 'S256' });
    expect(query).to.have.property('code_challenge');
    expect(query).not.to.have.property('nonce');
  });

  it('returns no email address that changes to another one in lower case, even if verified (D42)', async () => {
    const emails = [address('\u212aim@example.org', true, true)];
    expect(await signIn({ id: 1, emails })).to.include({ subject: '1', email: null });
  });

  it('returns no email address that is not both primary and verified', async () => {
    const none = [[], [address('a@example.org', true, false)], [address('a@example.org', false, true)]];
    for (const emails of none)
      expect(await signIn({ id: 1, emails }), JSON.stringify(emails)).to.include({
        subject: '1',
        email: null,
      });
  });

  it('accepts an answer without an issuer, which some versions of GitHub omit', async () => {
    const { answeredUrl, flow } = await answerOf();
    const withoutIssuer = changed(answeredUrl, (query) => query.delete('iss'));
    expect(await provider.complete(withoutIssuer, flow)).to.include({ subject: '4711' });
  });

  describe('refuses', () => {
    it('an answer that was used before', async () => {
      const { answeredUrl, flow } = await answerOf();
      expect(await provider.complete(answeredUrl, flow)).not.to.equal(null);
      expect(await provider.complete(answeredUrl, flow)).to.equal(null);
    });

    it('the answer to another flow, even with one matching secret', async () => {
      const { flow: other } = await provider.begin(CALLBACK);
      for (const fragment of ['state', 'codeVerifier'] as const) {
        const { answeredUrl, flow } = await answerOf();
        expect(
          await provider.complete(answeredUrl, { ...flow, [fragment]: other[fragment] }),
          fragment,
        ).to.equal(null);
      }
    });

    it("another person's code in the answer to one's own flow", async () => {
      const [victim, thief] = [await answerOf(), await answerOf({ id: 666, emails: [] })];
      const code = new URL(victim.answeredUrl).searchParams.get('code') ?? '';
      const forged = changed(thief.answeredUrl, (query) => query.set('code', code));
      expect(await provider.complete(forged, thief.flow)).to.equal(null);
    });

    it('a person who denies the request', async () => {
      const { url, flow } = await provider.begin(CALLBACK);
      expect(await provider.complete(stub.answer(url, ADA, 'denied'), flow)).to.equal(null);
    });

    // biome-ignore format: a table is read by its columns
    const forgeries: readonly (readonly [what: string, change: (query: URLSearchParams) => void])[] = [
      ['another state',  (query) => query.set('state', 'forged')],
      ['no state',       (query) => query.delete('state')],
      ['another issuer', (query) => query.set('iss', 'https://issuer.example')],
      ['another code',   (query) => query.set('code', 'forged')],
      ['no code',        (query) => query.delete('code')],
    ];
    for (const [what, change] of forgeries) {
      it(`an answer with ${what}`, async () => {
        const { answeredUrl, flow } = await answerOf();
        expect(await provider.complete(changed(answeredUrl, change), flow)).to.equal(null);
      });
    }
  });

  describe('while GitHub is unavailable', () => {
    afterEach(() => sinon.restore());

    it('throws Unavailable with the reason, and works again afterwards', async () => {
      for (const which of ['failing', 'apiFailing'] as const) {
        for (const status of [500, 503, 403, 204] as const) {
          const { answeredUrl, flow } = await answerOf();
          stub[which] = status;
          const { cause } = await unavailability(provider.complete(answeredUrl, flow));
          expect(String(cause), which).to.include(String(status));
          stub[which] = null;
        }
      }
      expect(await signIn(ADA)).to.include({ subject: '4711' });
    });

    it('waits at most 5 s for an answer', async () => {
      const timeLimit = passingTimeLimit();
      const { answeredUrl, flow } = await answerOf();
      for (const silent of ['/login/oauth/access_token', '/api/user/emails']) {
        stub.silent = (path) => {
          if (path !== silent) return false;
          timeLimit.pass();
          return true;
        };
        const { cause } = await unavailability(provider.complete(answeredUrl, flow));
        expect(String(cause), silent).to.include('OAUTH_TIMEOUT');
      }
      expect(new Set(timeLimit.limits())).to.deep.equal(new Set([5_000]));
    });

    it('throws Unavailable if nothing listens', async () => {
      const { answeredUrl, flow } = await answerOf();
      const gone = await GithubStub.start();
      const { url, apiUrl, clientId, clientSecret } = gone;
      await gone.stop();
      const nowhere = githubIdentityProvider({ url, apiUrl, clientId, clientSecret });
      const withoutIssuer = changed(answeredUrl, (query) => query.delete('iss'));
      const { cause } = await unavailability(nowhere.complete(withoutIssuer, flow));
      expect(String(cause)).to.include('ECONNREFUSED');
    });

    it('puts no secret, code or token into an error, whether GitHub fails or refuses the client', async () => {
      const { answeredUrl, flow } = await answerOf();
      const refused = await unavailability(at('wrong-secret').complete(answeredUrl, flow));
      expect(String(refused.cause)).to.include('incorrect_client_credentials');
      const next = await answerOf();
      stub.apiFailing = 401;
      const away = await unavailability(provider.complete(next.answeredUrl, next.flow));
      const codes = [answeredUrl, next.answeredUrl].map((url) => new URL(url).searchParams.get('code') ?? '');
      const secrets = ['wrong-secret', stub.clientSecret, 'gho_', ...codes, flow.state, flow.codeVerifier];
      for (const secret of secrets)
        for (const fault of [refused, away]) expect(everythingIn(fault)).not.to.include(secret);
    });
  });
});
