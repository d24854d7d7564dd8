import { type Check, warning } from '../../adapters/findings/check.js';

/** The settings by which weaknesses are recognised. Secrets are represented by whether they are set. */
export type SettingFacts = {
  readonly hasOperatorToken: boolean;
  readonly hasPublisherToken: boolean;
  readonly publicUrl: string | undefined;
  readonly trustedProxyHops: number;
  readonly hasDatabase: boolean;
  readonly hasTestClock: boolean;
  readonly hasMailServer: boolean;
  readonly mailFrom: string;
  readonly allowsPlainMail: boolean;
  readonly hasIdentityProvider: boolean;
  readonly hasWebhookSecret: boolean;
  readonly hasApiKey: boolean;
  readonly hasSecretsKey: boolean;
};

type Weakness = {
  readonly setting: string;
  readonly isWeak: (facts: SettingFacts) => boolean;
  readonly detail: string;
  readonly advice: string;
};

const isHttps = ({ publicUrl }: SettingFacts): boolean => publicUrl?.startsWith('https://') === true;

const TOKEN = {
  detail: 'not set: the service generates one, and every machine generates another one',
  advice: 'Generate one with openssl rand -hex 24, and set the same one on every machine.',
};

/** Settings that are valid, but wrong for most services that other people use. */
const WEAKNESSES: readonly Weakness[] = [
  { setting: 'OPERATOR_TOKEN', isWeak: (facts) => !facts.hasOperatorToken, ...TOKEN },
  { setting: 'PUBLISHER_TOKEN', isWeak: (facts) => !facts.hasPublisherToken, ...TOKEN },
  {
    setting: 'PUBLIC_URL',
    isWeak: (facts) => facts.publicUrl === undefined,
    detail: 'not set: links and sign-in work only on this machine',
    advice: 'Set it to the https address that browsers use.',
  },
  {
    setting: 'PUBLIC_URL',
    isWeak: (facts) => facts.publicUrl !== undefined && !isHttps(facts),
    detail: 'not https: keys and sessions can be read on the network',
    advice: 'Put a proxy with TLS in front of the public listener, and set the https address.',
  },
  {
    setting: 'TRUSTED_PROXY_HOPS',
    isWeak: (facts) => isHttps(facts) && facts.trustedProxyHops === 0,
    detail: '0, but a proxy must terminate TLS: all clients share the address, and the limits, of that proxy',
    advice: 'Set it to the number of your own proxies in front of the service.',
  },
  {
    setting: 'DATABASE_URL',
    isWeak: (facts) => !facts.hasDatabase,
    detail: 'not set: all data are in memory, and a restart loses them',
    advice: 'Set it to a Postgres database.',
  },
  {
    setting: 'TEST_CLOCK',
    isWeak: (facts) => facts.hasTestClock,
    detail: 'on: an operator can move the clock forward, and it never goes back',
    advice: 'Do not set it in production.',
  },
  {
    setting: 'SMTP_URL',
    isWeak: (facts) => !facts.hasMailServer && !facts.hasIdentityProvider,
    detail: 'not set, and there is no identity provider: nobody can sign in under the public address',
    advice: 'Set SMTP_URL and MAIL_FROM, or configure an identity provider.',
  },
  {
    setting: 'MAIL_FROM',
    isWeak: (facts) => facts.hasMailServer && /@localhost>?$/.test(facts.mailFrom),
    detail: 'an address at localhost: mail servers refuse it or mark it as spam',
    advice: 'Set it to an address of your own domain.',
  },
  {
    setting: 'SMTP_ALLOW_PLAIN',
    isWeak: (facts) => facts.hasMailServer && facts.allowsPlainMail,
    detail: 'on: sign-in links may be sent without encryption',
    advice: 'Use a mail server with STARTTLS or smtps://, and remove the setting.',
  },
  {
    setting: 'STRIPE_API_KEY',
    isWeak: (facts) => facts.hasWebhookSecret && !facts.hasApiKey,
    detail:
      'not set: missed webhooks are not fetched, and a subscription is suspended without a question to Stripe',
    advice: 'Set a restricted key that may read events, invoices, subscriptions, products and customers.',
  },
  {
    setting: 'SECRETS_KEY',
    isWeak: (facts) => facts.hasDatabase && !facts.hasSecretsKey,
    detail: 'not set: customers have no webhooks, no messages in Slack and no mails of the feed',
    advice: 'Generate one with openssl rand -base64 32, and set the same one on every machine.',
  },
];

/** One warning for each weak setting. */
export const weakSettings = (facts: SettingFacts): readonly Check[] =>
  WEAKNESSES.filter(({ isWeak }) => isWeak(facts)).map(({ setting, detail, advice }) => ({
    check: `settings ${setting}`,
    ...warning(detail, advice),
  }));
