import { expect } from 'chai';
import { compose } from '../../../src/composition/compose.js';
import type { Environment } from '../../../src/settings/environment.js';
import { GithubStub } from '../../support/servers/github-stub.js';
import { startOpenIdProvider } from '../../support/servers/openid-provider.js';
import { settings } from '../../support/service/composed.js';

const CALLBACK = 'http://127.0.0.1:8080/operator/sign-in/oidc/callback';

const providersOf = async (environment: Environment) =>
  (await compose(settings(environment))).parts.identityProviders;

describe('The identity providers', () => {
  it('are an empty list without settings', async () => {
    expect(await providersOf({})).to.deep.equal([]);
  });

  it('are those of the settings, each with its own configuration', async () => {
    const [openId, githubStub] = await Promise.all([
      startOpenIdProvider({ callbackUrls: [CALLBACK] }),
      GithubStub.start(),
    ]);
    try {
      const providers = await providersOf({
        OIDC_ISSUER: openId.issuer,
        OIDC_CLIENT_ID: openId.clientId,
        OIDC_CLIENT_SECRET: openId.clientSecret,
        OIDC_NAME: 'Acme',
        OPERATOR_GROUP: 'operators',
        GITHUB_CLIENT_ID: githubStub.clientId,
        GITHUB_CLIENT_SECRET: githubStub.clientSecret,
        GITHUB_URL: githubStub.url,
        GITHUB_API_URL: githubStub.apiUrl,
      });
      expect(providers.map(({ id, name }) => [id, name])).to.deep.equal([
        ['oidc', 'Acme'],
        ['github', 'GitHub'],
      ]);
      const [oidc, github] = providers;
      openId.people.set('ada', { email: 'ada@example.org', email_verified: true, groups: ['operators'] });
      const atOpenId = await oidc?.begin(CALLBACK);
      const atGithub = await github?.begin(CALLBACK);
      if (atOpenId === undefined || atGithub === undefined) throw new Error('a provider is missing');
      const ada = await oidc?.complete(await openId.answer(atOpenId.url, 'ada'), atOpenId.flow);
      expect(ada).to.deep.include({ subject: 'ada', groups: ['operators'] });
      const callbackUrl = githubStub.answer(atGithub.url, { id: 7, emails: [] });
      expect(await github?.complete(callbackUrl, atGithub.flow)).to.include({
        issuer: githubStub.url,
        subject: '7',
      });
    } finally {
      await Promise.all([openId.stop(), githubStub.stop()]);
    }
  });
});
