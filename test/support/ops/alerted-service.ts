import { setTimeout } from 'node:timers/promises';
import { publication } from '../objects/builders.js';
import { type MailServer, startMailServer } from '../servers/mail-server.js';
import { startTestPostgres, type TestPostgres } from '../servers/postgres.js';
import { startTestRedis, type TestRedis } from '../servers/redis.js';
import { reservedPort } from '../servers/reserved-port.js';
import { type SilentProxy, startSilentProxy } from '../servers/silent-proxy.js';
import { StripeStub } from '../servers/stripe-stub.js';
import { aKey, publishAll, unique } from '../service/api-calls.js';
import { Client } from '../service/client.js';
import { type Instance, launchInstance, serviceOf } from '../service/running-service.js';
import { type Scrape, sampleOf, scrape } from './scrape.js';

export const STREAMS_MAX = 5;
export const WRITABLE = 'oddswire_dependency_writable{dependency="Postgres"';
const DEPENDENCIES = ['Postgres', 'Redis', 'replica'] as const;
const POLL_MS = 20;
/** Less than the timeout of a test, so that a test that fails also stops scraping, and does not disturb the next one. */
const SCRAPED_MS = 45_000;
const REQUESTS = 64;

export const up = (dependency: (typeof DEPENDENCIES)[number]): string =>
  `oddswire_dependency_up{dependency="${dependency}"`;

/** The clock differs for a moment after the machine was suspended. */
const isUsable = (value: (series: string) => number): boolean =>
  DEPENDENCIES.every((dependency) => value(up(dependency)) === 1) &&
  value(WRITABLE) === 1 &&
  value('oddswire_ready') === 1 &&
  Math.abs(value('oddswire_clock_offset_seconds')) < 1;

/** An instance with every dependency that an alert is about. A test can make each of them fail. */
export type AlertedService = {
  readonly instance: Instance;
  /** The settings of the instance, to start another one in its place. */
  readonly settings: Readonly<Record<string, string>>;
  readonly client: Client;
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  /** Leads to the same Postgres, in the place of a replica. */
  readonly replica: SilentProxy;
  readonly stripe: StripeStub;
  readonly mail: { server: MailServer };
  readonly key: string;
  /** The id of the account with that key, which has no customer. */
  readonly account: string;
  readonly scrape: () => Promise<Scrape>;
  /** Scrapes until the values pass, and returns that scrape. */
  readonly scrapeWhen: (passes: (value: (series: string) => number) => boolean) => Promise<Scrape>;
  /** Publishes an item, and scrapes when one scrape has no value that an alert is about. */
  readonly healthy: () => Promise<Scrape>;
  readonly stop: () => Promise<void>;
};

export async function startAlertedService(): Promise<AlertedService> {
  const [postgres, redis, mail, stripe, port] = await Promise.all([
    startTestPostgres(),
    startTestRedis(),
    startMailServer(),
    StripeStub.start(),
    reservedPort(),
  ]);
  const replica = await startSilentProxy(postgres.url);
  const settings = {
    ...mail.settings,
    DATABASE_URL: postgres.url,
    DATABASE_REPLICA_URLS: replica.url,
    REDIS_URL: redis.url,
    STRIPE_API_KEY: 'sk_test_of_the_tests',
    STRIPE_API_URL: stripe.url,
    STREAMS_MAX: String(STREAMS_MAX),
    INTERNAL_PORT: String(port),
  };
  const instance = await launchInstance(settings).listening;
  const client = await Client.of(serviceOf(instance));
  await publishAll(client, [publication({ id: 'first' })]);
  const { key, account } = await aKey(client);
  // So many that the used quota of at least one request is measured.
  for (let n = 0; n < REQUESTS; n += 1) await client.news(key, '?limit=1');
  await client.news('unknown');
  const started = { server: mail };
  const scrapeWhen = async (passes: (value: (series: string) => number) => boolean) => {
    const began = performance.now();
    while (performance.now() - began < SCRAPED_MS) {
      const last = await scrape(instance.internalUrl);
      if (passes((series) => sampleOf(last, series))) return last;
      await setTimeout(POLL_MS);
    }
    throw new Error(`no scrape of ${SCRAPED_MS} ms had the values: ${passes}`);
  };
  return {
    ...{ instance, settings, client, postgres, redis, replica, stripe, key, account },
    mail: started,
    scrape: () => scrape(instance.internalUrl),
    scrapeWhen,
    healthy: async () => {
      await scrapeWhen((value) => isUsable(value));
      await publishAll(client, [publication({ id: unique() })]);
      return scrapeWhen(
        (value) =>
          isUsable(value) &&
          value('oddswire_feed_head_age_seconds') < 60 &&
          value('oddswire_change_logs_age_seconds') < 2 &&
          value('nodejs_eventloop_lag_p99_seconds') < 0.1,
      );
    },
    stop: async () => {
      await instance.stop();
      await Promise.all([
        replica.stop(),
        stripe.stop(),
        started.server.stop(),
        postgres.stop(),
        redis.stop(),
      ]);
    },
  };
}
