import { freshDatabase } from '../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../support/servers/stores.js';
import type { ServiceUnderTest } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';
import { badInputSuite } from './black-box/bad-input.suite.js';
import { checkoutsSuite } from './black-box/checkouts.suite.js';
import { feedSuite } from './black-box/feed.suite.js';
import { historySuite } from './black-box/history.suite.js';
import { internalRoutesSuite } from './black-box/internal-routes.suite.js';
import { itemsSuite } from './black-box/items.suite.js';
import { keyCarriersSuite } from './black-box/key-carriers.suite.js';
import { keysSuite } from './black-box/keys.suite.js';
import { limitsSuite } from './black-box/limits.suite.js';
import { marketsSuite } from './black-box/markets.suite.js';
import { pastSuite } from './black-box/past.suite.js';
import { pathsAndMethodsSuite } from './black-box/paths-and-methods.suite.js';
import { paymentWebhooksSuite } from './black-box/payment-webhooks.suite.js';
import { paymentsSuite } from './black-box/payments.suite.js';
import { bodyLimitsSuite, publishingSuite } from './black-box/publishing.suite.js';
import { requestLogSuite } from './black-box/request-log.suite.js';
import { rotationSuite } from './black-box/rotation.suite.js';
import { usageSuite } from './black-box/usage.suite.js';
import { accountDeletionSuite } from './retention/account-deletion.suite.js';

/**
 * Tests the service over HTTP, as `npm start` starts it, with the same suites for each deployment. `own` are suites of code
 * that is the same in every deployment.
 */
function blackBox(
  name: string,
  start: () => Promise<Service>,
  ...own: readonly ((underTest: ServiceUnderTest) => void)[]
): void {
  describe(`The service, ${name}:`, () => {
    let service: Service;
    let client: Client;
    before(async () => {
      service = await start();
      client = await Client.of(service);
    });
    after(() => service.stop());
    const underTest: ServiceUnderTest = { service: () => service, client: () => client };

    feedSuite(underTest);
    itemsSuite(underTest);
    pastSuite(underTest);
    historySuite(underTest);
    marketsSuite(underTest);
    publishingSuite(underTest);
    internalRoutesSuite(underTest);
    accountDeletionSuite(underTest);
    keysSuite(underTest);
    rotationSuite(underTest);
    keyCarriersSuite(underTest);
    pathsAndMethodsSuite(underTest);
    requestLogSuite(underTest);
    badInputSuite(underTest);
    limitsSuite(underTest);
    usageSuite(underTest);
    paymentsSuite(underTest);
    paymentWebhooksSuite(underTest);
    checkoutsSuite(underTest);
    for (const suite of own) suite(underTest);
  });
}

blackBox('in memory', () => startService(), bodyLimitsSuite);
blackBox('two instances on Postgres and Redis', async () => {
  const shared = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
  return startService(shared, 2);
});
