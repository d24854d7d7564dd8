import { expect } from 'chai';
import sinon from 'sinon';
import { oidcIdentityProvider } from '../../../src/adapters/identity/oidc-identity-provider.js';
import type { IdentityProvider } from '../../../src/application/ports/sign-in/identity-provider.js';
import {
  type OpenIdPerson,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../support/servers/openid-provider.js';
import { everythingIn, passingTimeLimit, unavailability } from '../../support/service/faults.js';

const CALLBACK = 'http://127.0.0.1:8080/dashboard/sign-in/oidc/callback';

const at = (peer: OpenIdProvider, settings: { clientSecret?: string; groupsClaim?: string } = {}) =>
  oidcIdentityProvider({
    issuer: peer.issuer,
    clientId: peer.clientId,
    clientSecret: peer.clientSecret,
    name: 'Google',
    scopes: 'openid email',
    groupsClaim: 'groups',
    ...settings,
  });

let people = 0;

/** Begins a flow and answers it as this person. */
async function answerOf(provider: IdentityProvider, peer: OpenIdProvider, as: OpenIdPerson = {}) {
  people += 1;
  const person = `person-${people}`;
  peer.people.set(person, as);
  const { url, flow } = await provider.begin(CALLBACK);
  return { person, flow, answeredUrl: await peer.answer(url, person) };
}

async function signIn(provider: IdentityProvider, peer: OpenIdProvider, as: OpenIdPerson = {}) {
  const { answeredUrl, flow } = await answerOf(provider, peer, as);
  return provider.complete(answeredUrl, flow);
}

const changed = (url: string, change: (query: URLSearchParams) => void): string => {
  const other = new URL(url);
  change(other.searchParams);
  return other.href;
};

/** Against a real provider, over HTTP, through its pages. */
describe('Sign-in with an OpenID provider', () => {
  const VERIFIED = { email: 'Ada@Example.org', email_verified: true };
  let peer: OpenIdProvider;
  let provider: IdentityProvider;
  before(async () => {
    peer = await startOpenIdProvider({ callbackUrls: [CALLBACK] });
  });
  beforeEach(() => {
    peer.instead = () => null;
    provider = at(peer);
  });
  after(() => peer.stop());

  it('returns issuer and subject, with a verified email address and groups', async () => {
    const { person, answeredUrl, flow } = await answerOf(provider, peer, {
      ...VERIFIED,
      groups: ['operators', 'staff'],
    });
    expect(answeredUrl.startsWith(`${CALLBACK}?`)).to.equal(true);
    peer.asked.length = 0;
    expect(await provider.complete(answeredUrl, flow)).to.deep.equal({
      issuer: peer.issuer,
      subject: person,
      email: 'ada@example.org',
      groups: ['operators', 'staff'],
    });
    expect(peer.asked).to.deep.equal(['/token']);
  });

  it('sends a state, a nonce and a challenge that are new each time', async () => {
    const first = await provider.begin(CALLBACK);
    const { url, flow } = await provider.begin(CALLBACK);
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).to.include({ redirect_uri: CALLBACK, scope: 'openid email', response_type: 'code' });
    expect(query).to.include({ state: flow.state, nonce: flow.nonce, code_challenge_method: 'S256' });
    expect(query['code_challenge']).to.have.length(43).and.not.equal(flow.codeVerifier);
    for (const fragment of ['state', 'nonce', 'codeVerifier'] as const)
      expect(flow[fragment]).to.have.length(43).and.not.equal(first.flow[fragment]);
  });

  it('discovers the endpoints of the provider once', async () => {
    peer.asked.length = 0;
    await Promise.all([signIn(provider, peer), signIn(provider, peer)]);
    expect(peer.asked.filter((path) => path.startsWith('/.well-known'))).to.have.length(1);
  });

  it('returns no email address that the provider has not verified', async () => {
    const { email } = VERIFIED;
    const none: readonly OpenIdPerson[] = [
      { email, email_verified: false },
      { email },
      { email_verified: true },
      { email: '', email_verified: true },
    ];
    for (const as of none)
      expect((await signIn(provider, peer, as))?.email, JSON.stringify(as)).to.equal(null);
  });

  it('returns no email address that changes to another one in lower case, even if verified (D42)', async () => {
    const as = { email: '\u212aim@example.org', email_verified: true };
    expect((await signIn(provider, peer, as))?.email).to.equal(null);
  });

  it('does not take an address from one place and its verification from another', async () => {
    const as = { email_verified: true, userinfo: { email: 'victim@example.org', email_verified: false } };
    expect((await signIn(provider, peer, as))?.email).to.equal(null);
  });

  it('accepts a single group as a string, and groups in another claim', async () => {
    expect((await signIn(provider, peer, { groups: 'operators' }))?.groups).to.deep.equal(['operators']);
    expect((await signIn(provider, peer))?.groups).to.deep.equal([]);
    const named = at(peer, { groupsClaim: 'email' });
    expect((await signIn(named, peer, VERIFIED))?.groups).to.deep.equal(['Ada@Example.org']);
  });

  it('reads missing claims from userinfo, and sends the secret in a header if the provider requires it', async () => {
    const sparse = await startOpenIdProvider({
      callbackUrls: [CALLBACK],
      claimsIn: 'userinfo',
      clientSecretIn: 'header',
    });
    try {
      const identity = await signIn(at(sparse), sparse, { ...VERIFIED, groups: ['operators'] });
      expect(identity).to.include({ email: 'ada@example.org' });
      expect(identity?.groups).to.deep.equal(['operators']);
      expect(sparse.asked.at(-1)).to.equal('/me');
    } finally {
      await sparse.stop();
    }
  });

  describe('refuses', () => {
    it('an answer that was used before', async () => {
      const { answeredUrl, flow } = await answerOf(provider, peer, VERIFIED);
      expect(await provider.complete(answeredUrl, flow)).not.to.equal(null);
      expect(await provider.complete(answeredUrl, flow)).to.equal(null);
    });

    it('the answer to another flow, even with some matching secrets', async () => {
      const other = (await provider.begin(CALLBACK)).flow;
      for (const fragment of [['state'], ['nonce'], ['codeVerifier'], ['state', 'codeVerifier']] as const) {
        const { answeredUrl, flow } = await answerOf(provider, peer, VERIFIED);
        const mixed = Object.fromEntries(fragment.map((name) => [name, other[name]]));
        expect(await provider.complete(answeredUrl, { ...flow, ...mixed }), fragment.join()).to.equal(null);
      }
    });

    it("another person's code in the answer to one's own flow", async () => {
      const victim = await answerOf(provider, peer, VERIFIED);
      const thief = await answerOf(provider, peer);
      const code = new URL(victim.answeredUrl).searchParams.get('code') ?? '';
      const forged = changed(thief.answeredUrl, (query) => query.set('code', code));
      expect(await provider.complete(forged, thief.flow)).to.equal(null);
    });

    it('userinfo of another person', async () => {
      peer.instead = (path) => (path === '/me' ? { json: { ...VERIFIED, sub: 'somebody-else' } } : null);
      expect(await signIn(provider, peer)).to.equal(null);
    });

    it('a person who denies the request', async () => {
      const { url, flow } = await provider.begin(CALLBACK);
      const answeredUrl = await peer.answer(url, 'somebody', 'denied');
      expect(answeredUrl).to.include('error=access_denied');
      expect(await provider.complete(answeredUrl, flow)).to.equal(null);
    });

    // biome-ignore format: a table is read by its columns
    const forgeries: readonly (readonly [what: string, change: (query: URLSearchParams) => void])[] = [
      ['another state',          (query) => query.set('state', 'forged')],
      ['no state',               (query) => query.delete('state')],
      ['two states',             (query) => query.append('state', query.get('state') ?? '')],
      ['another issuer',         (query) => query.set('iss', 'https://issuer.example')],
      ['no issuer',              (query) => query.delete('iss')],
      ['another code',           (query) => query.set('code', 'forged')],
      ['no code',                (query) => query.delete('code')],
      ['an additional ID token', (query) => query.set('id_token', 'e30.e30.')],
      ['an answer in a token',   (query) => query.set('response', 'e30.e30.')],
    ];
    for (const [what, change] of forgeries) {
      it(`an answer with ${what}`, async () => {
        const { answeredUrl, flow } = await answerOf(provider, peer, VERIFIED);
        expect(await provider.complete(changed(answeredUrl, change), flow)).to.equal(null);
      });
    }
  });

  describe('while the provider is unavailable', () => {
    afterEach(() => sinon.restore());

    // biome-ignore format: a table is read by its columns
    const ways: readonly (readonly [away: 'broken off' | 'silent' | number, reason: RegExp])[] = [
      ['broken off', /UND_ERR_SOCKET|ECONNRESET/],
      ['silent',     /OAUTH_TIMEOUT/],
      [500,          /HTTP 500/],
      [503,          /HTTP 503/],
      [429,          /HTTP 429/],
      [200,          /OAUTH_RESPONSE_IS_NOT_JSON/],
    ];
    for (const [away, reason] of ways) {
      it(`throws Unavailable with the reason (${away}), and works again afterwards`, async () => {
        const timeLimit = passingTimeLimit();
        const isAway = (gone: RegExp) => (path: string) => {
          if (!gone.test(path)) return null;
          if (away === 'silent') timeLimit.pass();
          return away;
        };
        peer.instead = isAway(/./);
        const begun = await unavailability(provider.begin(CALLBACK));
        expect(String(begun.cause)).to.match(reason);
        for (const endpoint of [/^\/token$/, /^\/me$/]) {
          peer.instead = () => null;
          const { answeredUrl, flow } = await answerOf(provider, peer);
          peer.instead = isAway(endpoint);
          const completed = await unavailability(provider.complete(answeredUrl, flow));
          expect(String(completed.cause), String(endpoint)).to.match(reason);
        }
        peer.instead = () => null;
        expect(await signIn(provider, peer, VERIFIED)).to.include({ email: 'ada@example.org' });
        expect(new Set(timeLimit.limits())).to.deep.equal(new Set([5_000]));
      });
    }

    // biome-ignore format: a table is read by its columns
    const clocks: readonly (readonly [ahead: number, claims: (now: number) => object, reason: RegExp])[] = [
      [90,     (now) => ({ nbf: now + 90, exp: now + 690 }), /its clock is about (89|90|91) s ahead of ours/],
      [-900,   (now) => ({ exp: now - 300 }),                /its clock is about (899|900|901) s behind ours/],
    ];
    for (const [ahead, claims, reason] of clocks)
      it(`says how the clocks differ if the clock of the provider is ${ahead} s ahead`, async () => {
        const { answeredUrl, flow } = await answerOf(provider, peer, VERIFIED);
        const now = Math.floor(Date.now() / 1_000);
        const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
        const common = {
          iss: peer.issuer,
          sub: 'ada',
          aud: peer.clientId,
          nonce: flow.nonce,
          iat: now + ahead,
        };
        const idToken = `${encoded({ alg: 'RS256' })}.${encoded({ ...common, ...claims(now) })}.c2ln`;
        const token = { access_token: 'a', token_type: 'bearer', id_token: idToken };
        peer.instead = (path) => (path === '/token' ? { json: token } : null);
        const { cause } = await unavailability(provider.complete(answeredUrl, flow));
        expect(String(cause)).to.match(reason);
      });

    it('throws Unavailable if nothing listens', async () => {
      const gone = await startOpenIdProvider({ callbackUrls: [CALLBACK] });
      await gone.stop();
      const nowhere = at(gone);
      expect(String((await unavailability(nowhere.begin(CALLBACK))).cause)).to.include('ECONNREFUSED');
    });

    it('sends nothing over plain HTTP to another machine', async () => {
      const { cause } = await unavailability(at({ ...peer, issuer: 'http://192.0.2.1' }).begin(CALLBACK));
      expect(String(cause)).to.include('only requests to HTTPS are allowed');
    });

    it('puts no secret or code into an error, whether the provider fails or refuses the client', async () => {
      const wrongClient = at(peer, { clientSecret: 'wrong-secret' });
      const { answeredUrl, flow } = await answerOf(wrongClient, peer, VERIFIED);
      const refused = await unavailability(wrongClient.complete(answeredUrl, flow));
      expect(String(refused.cause)).to.include('invalid_client');
      peer.instead = () => 503;
      const away = await unavailability(wrongClient.complete(answeredUrl, flow));
      const code = new URL(answeredUrl).searchParams.get('code') ?? '';
      for (const secret of ['wrong-secret', code, flow.state, flow.nonce, flow.codeVerifier])
        for (const fault of [refused, away]) expect(everythingIn(fault)).not.to.include(secret);
    });
  });
});
