import { startMailServer } from '../../support/servers/mail-server.js';
import { startOpenIdProvider } from '../../support/servers/openid-provider.js';
import { emptyDatabase } from '../../support/servers/postgres.js';
import { startTestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { StripeStub } from '../../support/servers/stripe-stub.js';
import { Client } from '../../support/service/client.js';
import { type Instance, launchInstance, serviceOf } from '../../support/service/running-service.js';
import { launchVersionBefore } from '../../support/versions/version-before.js';
import { accountsSuite } from '../stored-names/accounts.suite.js';
import { coordinationSuite } from '../stored-names/coordination.suite.js';
import { limitsSuite } from '../stored-names/limits.suite.js';
import { paymentsSuite } from '../stored-names/payments.suite.js';
import { signInSuite } from '../stored-names/sign-in.suite.js';
import type { TwoVersions, Version } from '../stored-names/two-versions.js';

/** Both versions build the same links and callback addresses. Limits are low, so that a test can use them up. */
const SETTINGS = {
  PUBLIC_URL: 'http://127.0.0.1:8080',
  TRUSTED_PROXY_HOPS: '1',
  RATE_LIMIT_FREE_MINUTE: '10',
  ANONYMOUS_PER_MINUTE: '20',
  SIGN_IN_MAILS_PER_DAY: '10',
  ABUSE_NETWORKS: '20',
  ABUSE_REFUSED_MINUTES: '1',
  ABUSE_REFUSED_LEAST: '20',
  STRIPE_API_KEY: 'sk_test_of_the_tests',
};

/**
 * Names in the code may change from release to release. Names that are stored or sent may not: during a rolling update
 * both versions use the same rows, counters and messages.
 */
describe('What is stored and sent', function () {
  this.timeout(15_000);
  let versions: TwoVersions;
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    const [redis, mail, stripe, openId, url] = await Promise.all([
      startTestRedis(),
      startMailServer(),
      StripeStub.start(),
      startOpenIdProvider({ callbackUrls: ['http://127.0.0.1/dashboard/sign-in/oidc/callback'] }),
      emptyDatabase(serverUrl()),
    ]);
    stops.push(redis.stop, mail.stop, () => stripe.stop(), openId.stop);
    const settings = {
      ...SETTINGS,
      ...mail.settings,
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      STRIPE_API_URL: stripe.url,
      OIDC_ISSUER: openId.issuer,
      OIDC_CLIENT_ID: openId.clientId,
      OIDC_CLIENT_SECRET: openId.clientSecret,
      OIDC_NAME: 'Acme',
    };
    const launched = [launchVersionBefore(settings), launchInstance(settings)] as const;
    stops.unshift(() => Promise.all(launched.map((one) => one.stop())));
    const [before, present] = await Promise.all(
      launched.map(async ({ listening }) => versionOf(await listening)),
    );
    if (before === undefined || present === undefined) throw new Error('two versions were launched');
    versions = { before, present, redisUrl: redis.url, mail, stripe, openId };
  });
  after(async () => {
    for (const stop of stops) await stop();
  });

  const running = () => versions;
  accountsSuite(running);
  paymentsSuite(running);
  signInSuite(running);
  limitsSuite(running);
  coordinationSuite(running);
});

const versionOf = async (instance: Instance): Promise<Version> => ({
  instance,
  client: await Client.of(serviceOf(instance)),
});
