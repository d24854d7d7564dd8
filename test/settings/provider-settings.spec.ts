import { expect } from 'chai';
import { acceptedSettings, settingFaults } from '../support/objects/settings.js';

describe('The settings of identity providers', () => {
  const OIDC = { OIDC_ISSUER: 'https://id.example/', OIDC_CLIENT_ID: 'me', OIDC_CLIENT_SECRET: 'hush' };

  it('accept an OpenID provider by its exact issuer, and the group of its operators', () => {
    const oidc = {
      issuer: 'https://id.example/',
      clientId: 'me',
      clientSecret: 'hush',
      name: 'OpenID',
      scopes: 'openid email',
      groupsClaim: 'groups',
    };
    expect(acceptedSettings(OIDC).identity).to.deep.equal({
      oidc,
      github: undefined,
      operatorGroup: undefined,
    });
    const more = { OIDC_NAME: 'Acme', OIDC_SCOPES: 'email openid groups', OIDC_GROUPS_CLAIM: 'roles' };
    expect(acceptedSettings({ ...OIDC, ...more, OPERATOR_GROUP: 'operators' }).identity).to.deep.equal({
      oidc: { ...oidc, name: 'Acme', scopes: 'email openid groups', groupsClaim: 'roles' },
      github: undefined,
      operatorGroup: 'operators',
    });
  });

  it('allow plain HTTP only to the machine itself, because secrets are sent', () => {
    for (const host of ['127.0.0.1:9000', 'localhost:9000', '[::1]:9000'])
      expect(acceptedSettings({ ...OIDC, OIDC_ISSUER: `http://${host}/realm` }).identity.oidc).not.to.equal(
        undefined,
      );
    const plain = ['id.example', '127.0.0.1.example', '10.0.0.1'];
    for (const host of plain) {
      const client = { GITHUB_CLIENT_ID: 'me', GITHUB_CLIENT_SECRET: 'hush' };
      const urls = {
        OIDC_ISSUER: `http://${host}`,
        GITHUB_URL: `http://${host}`,
        GITHUB_API_URL: `http://${host}`,
        STRIPE_API_URL: `http://${host}`,
      };
      expect(settingFaults({ ...OIDC, ...client, ...urls })).to.have.members(
        Object.keys(urls).map(
          (name) =>
            `${name} must start with https://; http:// is allowed only for localhost and loopback addresses`,
        ),
      );
    }
  });
});
