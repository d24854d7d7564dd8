import { expect } from 'chai';
import { type SettingFacts, weakSettings } from '../../../src/doctor/rules/weak-settings.js';

const STRONG: SettingFacts = {
  hasOperatorToken: true,
  hasPublisherToken: true,
  publicUrl: 'https://api.example.com',
  trustedProxyHops: 1,
  hasDatabase: true,
  hasTestClock: false,
  hasMailServer: true,
  mailFrom: 'Oddswire <news@example.com>',
  allowsPlainMail: false,
  hasIdentityProvider: false,
  hasWebhookSecret: true,
  hasApiKey: true,
  hasSecretsKey: true,
};

describe('Weak settings', () => {
  it('are none of a complete installation', () => {
    expect(weakSettings(STRONG)).to.deep.equal([]);
  });

  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [Partial<SettingFacts>, setting: string | null])[] = [
    [{ hasOperatorToken: false },                             'OPERATOR_TOKEN'],
    [{ hasPublisherToken: false },                            'PUBLISHER_TOKEN'],
    [{ publicUrl: undefined },                                'PUBLIC_URL'],
    [{ publicUrl: 'http://api.example.com' },                 'PUBLIC_URL'],
    [{ trustedProxyHops: 0 },                                 'TRUSTED_PROXY_HOPS'],
    [{ publicUrl: 'https://localhost', trustedProxyHops: 2 }, null],
    [{ hasDatabase: false, hasSecretsKey: false },            'DATABASE_URL'],
    [{ hasTestClock: true },                                  'TEST_CLOCK'],
    [{ hasMailServer: false },                                'SMTP_URL'],
    [{ hasMailServer: false, hasIdentityProvider: true },     null],
    [{ mailFrom: 'Oddswire <oddswire@localhost>' },           'MAIL_FROM'],
    [{ mailFrom: 'oddswire@localhost' },                      'MAIL_FROM'],
    [{ allowsPlainMail: true },                               'SMTP_ALLOW_PLAIN'],
    [{ hasApiKey: false },                                    'STRIPE_API_KEY'],
    [{ hasApiKey: false, hasWebhookSecret: false },           null],
    [{ hasSecretsKey: false },                                'SECRETS_KEY'],
  ];
  for (const [facts, setting] of rows) {
    it(`${setting === null ? 'are none' : `name ${setting}`} with ${JSON.stringify(facts)}`, () => {
      const found = weakSettings({ ...STRONG, ...facts });
      expect(found.map(({ check }) => check)).to.deep.equal(setting === null ? [] : [`settings ${setting}`]);
      expect(found.filter(({ result, advice }) => result !== 'warning' || advice === null)).to.deep.equal([]);
    });
  }
});
