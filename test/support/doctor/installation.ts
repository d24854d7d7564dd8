import { migrate } from '../../../src/adapters/postgres/migrate.js';
import { GithubStub } from '../servers/github-stub.js';
import { type MailServer, startMailServer } from '../servers/mail-server.js';
import { type OpenIdProvider, startOpenIdProvider } from '../servers/openid-provider.js';
import { startTestPostgres, type TestPostgres } from '../servers/postgres.js';
import { startTestRedis, type TestRedis } from '../servers/redis.js';
import { StripeStub } from '../servers/stripe-stub.js';

const SECRETS = {
  OPERATOR_TOKEN: 'operator-token-of-the-doctor',
  PUBLISHER_TOKEN: 'publisher-token-of-the-doctor',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_doctor',
  STRIPE_API_KEY: 'sk_test_of_the_doctor',
  SECRETS_KEY: Buffer.alloc(32, 9).toString('base64'),
};
const MAIL_PASSWORD = 'password-of-the-mail-server';

/** Every server that the service can use, and settings that name them. The doctor finds nothing to complain about. */
export type Installation = {
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  readonly mail: MailServer;
  readonly stripe: StripeStub;
  readonly openId: OpenIdProvider;
  readonly stop: () => Promise<void>;
};

export async function startInstallation(): Promise<Installation> {
  const [postgres, redis, mail, stripe, openId, github] = await Promise.all([
    startTestPostgres(),
    startTestRedis(),
    startMailServerWithPassword(),
    StripeStub.start(),
    startOpenIdProvider({ callbackUrls: ['https://news.example.com/callback'] }),
    GithubStub.start(),
  ]);
  await migrate(postgres.url);
  const { host } = new URL(mail.url);
  const settings = {
    ...SECRETS,
    PUBLIC_URL: 'https://news.example.com',
    TRUSTED_PROXY_HOPS: '1',
    STREAMS_MAX: '100',
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SMTP_URL: `smtp://news:${MAIL_PASSWORD}@${host}?tls.rejectUnauthorized=false`,
    MAIL_FROM: 'news@example.com',
    STRIPE_API_URL: stripe.url,
    OIDC_ISSUER: openId.issuer,
    OIDC_CLIENT_ID: openId.clientId,
    OIDC_CLIENT_SECRET: openId.clientSecret,
    GITHUB_CLIENT_ID: github.clientId,
    GITHUB_CLIENT_SECRET: github.clientSecret,
    GITHUB_URL: github.url,
    GITHUB_API_URL: `${github.url}/api`,
  };
  const secrets = [
    ...Object.values(SECRETS),
    MAIL_PASSWORD,
    new URL(postgres.url).password,
    openId.clientSecret,
    github.clientSecret,
  ];
  const servers = [postgres, redis, mail, stripe, openId, github];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  return { settings, secrets, postgres, redis, mail, stripe, openId, stop };
}

/** With STARTTLS (its certificate is self-signed) and one user. */
const startMailServerWithPassword = () =>
  startMailServer(null, {
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ password }, _, done) =>
      password === MAIL_PASSWORD ? done(null, { user: 'news' }) : done(new Error('wrong password')),
  });
