import { expect } from 'chai';
import { compose } from '../../../src/composition/compose.js';
import type { Environment } from '../../../src/settings/environment.js';
import { GithubStub } from '../../support/servers/github-stub.js';
import { startOpenIdProvider } from '../../support/servers/openid-provider.js';
import { settings } from '../../support/service/composed.js';

const CALLBACK = 'http://127.0.0.1:8080/operator/sign-in/oidc/callback';

const providersOf = (environment: Environment) => compose(settings(environment)).parts.identityProviders;

describe('The identity providers', () => {
  it('are none without settings', () => {
    expect(providersOf({})).to.deep.equal([]);
  });

  it('are those that the settings name, each as they say', async () => {
    const [peer, stub] = await Promise.all([
      startOpenIdProvider({ callbackUrls: [CALLBACK] }),
      GithubStub.start(),
    ]);
    try {
      const providers = providersOf({
        OIDC_ISSUER: peer.issuer,
        OIDC_CLIENT_ID: peer.clientId,
        OIDC_CLIENT_SECRET: peer.clientSecret,
        OIDC_NAME: 'Acme',
        OPERATOR_GROUP: 'operators',
        GITHUB_CLIENT_ID: stub.clientId,
        GITHUB_CLIENT_SECRET: stub.clientSecret,
        GITHUB_URL: stub.url,
        GITHUB_API_URL: stub.apiUrl,
      });
      expect(providers.map(({ id, name }) => [id, name])).to.deep.equal([
        ['oidc', 'Acme'],
        ['github', 'GitHub'],
      ]);
      const [oidc, github] = providers;
      peer.people.set('ada', { email: 'ada@example.org', email_verified: true, groups: ['operators'] });
      const atPeer = await oidc?.begin(CALLBACK);
      const atStub = await github?.begin(CALLBACK);
      if (atPeer === undefined || atStub === undefined) throw new Error('nowhere to begin');
      const ada = await oidc?.complete(await peer.answer(atPeer.url, 'ada'), atPeer.flow);
      expect(ada).to.deep.include({ subject: 'ada', groups: ['operators'] });
      const withErrorMapping = stub.answer(atStub.url, { id: 7, emails: [] });
      expect(await github?.complete(withErrorMapping, atStub.flow)).to.include({
        issuer: stub.url,
        subject: '7',
      });
    } finally {
      await Promise.all([peer.stop(), stub.stop()]);
    }
  });
});
