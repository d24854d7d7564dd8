import { Client } from '../support/client.js';
import { freshDatabase } from '../support/postgres.js';
import { type Service, startService } from '../support/running-service.js';
import { redisUrl, serverUrl } from '../support/stores.js';
import { badInputSuite } from './bad-input.js';
import { checkoutsSuite } from './checkouts.js';
import { edgesSuite } from './edges.js';
import { feedSuite } from './feed.js';
import { keysSuite } from './keys.js';
import { limitsSuite } from './limits.js';
import { misplacedKeysSuite } from './misplaced-keys.js';
import { moreCarriersSuite } from './more-carriers.js';
import { paymentsSuite } from './payments.js';
import { publishingSuite } from './publishing.js';
import { requestsSuite } from './requests.js';
import { rotationSuite } from './rotation.js';
import { sectionTwoSuite } from './section-two.js';
import type { Target } from './target.js';
import { usageSuite } from './usage.js';
import { windowsSuite } from './windows.js';

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
