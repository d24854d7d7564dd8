import { type Check, failed, ok, warning } from '../adapters/findings/check.js';
import { passwordsOf } from '../adapters/findings/without-secrets.js';
import type { Config } from '../settings/config.js';
import { weakSettings } from './rules/weak-settings.js';

const WHERE =
  'Settings are environment variables, or lines of .env in the working directory; docs/settings.md lists them.';

/** One failure for each invalid setting. */
export const invalidSettings = (faults: readonly string[]): readonly Check[] =>
  faults.map((fault) => ({ check: 'settings', ...failed(fault, `Correct it. ${WHERE}`) }));

/** One warning for each line about an unknown setting. */
export const unknownSettings = (lines: readonly string[]): readonly Check[] =>
  lines.map((line) => ({ check: 'settings', ...warning(line, `Correct or remove it. ${WHERE}`) }));

/** The settings that are valid, but unknown or weak. `unknown` has a line for each unknown one. */
export function settingsChecks(config: Config, unknown: readonly string[]): readonly Check[] {
  return [
    { check: 'settings', ...ok('all settings are valid') },
    ...unknownSettings(unknown),
    ...weakSettings({
      hasOperatorToken: config.operatorToken !== undefined,
      hasPublisherToken: config.publisherToken !== undefined,
      publicUrl: config.publicUrl,
      trustedProxyHops: config.trustedProxyHops,
      hasDatabase: config.databaseUrl !== undefined || config.embeddedDatabase !== undefined,
      hasTestClock: config.testClock,
      hasMailServer: config.smtpUrl !== undefined,
      mailFrom: config.mailFrom,
      allowsPlainMail: config.smtpAllowsPlain,
      hasIdentityProvider: config.identity.oidc !== undefined || config.identity.github !== undefined,
      hasWebhookSecret: config.payments.webhookSecrets.length > 0,
      hasApiKey: config.payments.apiKey !== undefined,
      hasSecretsKey: config.destinations.secretsKeys.length > 0,
    }),
  ];
}

/** The values that no output may contain. */
export function secretsOf(config: Config): readonly string[] {
  const { databaseUrl, databaseReplicaUrls, redisUrls, smtpUrl, payments, identity, destinations } = config;
  const urls = [databaseUrl, ...databaseReplicaUrls, ...redisUrls, smtpUrl];
  const secrets = [
    config.operatorToken,
    config.publisherToken,
    ...payments.webhookSecrets,
    payments.apiKey,
    identity.oidc?.clientSecret,
    identity.github?.clientSecret,
    ...destinations.secretsKeys,
    ...urls.flatMap((url) => (url === undefined ? [] : passwordsOf(url))),
  ];
  return secrets.filter((secret) => secret !== undefined && secret !== '') as readonly string[];
}
