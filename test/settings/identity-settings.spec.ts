import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';
import type { Environment } from '../../src/settings/environment.js';

const CLIENT = { GITHUB_CLIENT_ID: 'me', GITHUB_CLIENT_SECRET: 'hush' };

const read = (environment: Environment) => {
  const warnings: string[] = [];
  const config = readConfig(environment, (line) => warnings.push(line));
  return 'faults' in config
    ? { faults: config.faults, warnings, github: undefined }
    : { faults: [], warnings, github: config.identity.github };
};

describe('The settings of sign-in with GitHub', () => {
  it('accept GitHub, or an Enterprise Server with its API', () => {
    const [url, apiUrl] = ['https://github.com', 'https://api.github.com'];
    const client = { clientId: 'me', clientSecret: 'hush' };
    expect(read(CLIENT).github).to.deep.equal({ ...client, url, apiUrl });
    const own = { GITHUB_URL: 'https://ghe.example/', GITHUB_API_URL: 'https://ghe.example/api/v3/' };
    expect(read({ ...CLIENT, ...own }).github).to.deep.equal({
      ...client,
      url: 'https://ghe.example',
      apiUrl: 'https://ghe.example/api/v3',
    });
  });

  it('refuse one URL of an Enterprise Server without the other', () => {
    expect(read({ ...CLIENT, GITHUB_URL: 'https://ghe.example' }).faults).to.deep.equal([
      'GITHUB_URL and GITHUB_API_URL must be set together: GITHUB_API_URL is not set',
    ]);
  });

  it('ignore variables of a CI runner with the same prefix if no client is set', () => {
    const runner = { GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://github.com', GITHUB_REF: 'main' };
    for (const url of ['https://api.github.com', 'http://ghe.example/api/v3', 'none']) {
      const found = read({ ...runner, GITHUB_API_URL: url });
      expect(found).to.deep.equal({ faults: [], warnings: [], github: undefined });
    }
  });

  it('warn of a misspelt URL even if no client is set', () => {
    expect(read({ GITHUB_APIURL: 'https://ghe.example' }).warnings).to.deep.equal([
      'GITHUB_APIURL is not a setting. Did you mean GITHUB_API_URL?',
    ]);
  });
});
