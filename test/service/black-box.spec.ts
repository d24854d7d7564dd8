import { freshDatabase } from '../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../support/servers/stores.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';
import type { Target } from '../support/service/target.js';
import { badInputSuite } from './black-box/bad-input.suite.js';
import { checkoutsSuite } from './black-box/checkouts.suite.js';
import { edgesSuite } from './black-box/edges.suite.js';
import { feedSuite } from './black-box/feed.suite.js';
import { sectionTwoSuite } from './black-box/items.suite.js';
import { moreCarriersSuite } from './black-box/key-carriers.suite.js';
import { keysSuite } from './black-box/keys.suite.js';
import { limitsSuite } from './black-box/limits.suite.js';
import { misplacedKeysSuite } from './black-box/misplaced-keys.suite.js';
import { paymentsSuite } from './black-box/payments.suite.js';
import { publishingSuite } from './black-box/publishing.suite.js';
import { requestsSuite } from './black-box/requests.suite.js';
import { rotationSuite } from './black-box/rotation.suite.js';
import { usageSuite } from './black-box/usage.suite.js';
import { windowsSuite } from './black-box/windows.suite.js';

/** The service from outside, as `npm start` starts it; the same suites for every way to run it. */
function blackBox(name: string, start: () => Promise<Service>): void {
  describe(`The service, ${name}:`, () => {
    let service: Service;
    let client: Client;
    before(async () => {
      service = await start();
      client = await Client.of(service);
    });
    after(() => service.stop());
    const target: Target = { service: () => service, client: () => client };

    feedSuite(target);
    publishingSuite(target);
    keysSuite(target);
    limitsSuite(target);
    requestsSuite(target);
    sectionTwoSuite(target);
    edgesSuite(target);
    rotationSuite(target);
    windowsSuite(target);
    moreCarriersSuite(target);
    misplacedKeysSuite(target);
    badInputSuite(target);
    paymentsSuite(target);
    checkoutsSuite(target);
    usageSuite(target);
  });
}

blackBox('in memory', () => startService());
blackBox('two instances on Postgres and Redis', async () => {
  const shared = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
  return startService(shared, 2);
});
