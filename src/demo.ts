import { sampleFeed, samplePublication } from './adapters/sample/sample-feed.js';
import { announce } from './announcement.js';
import { readConfig } from './config.js';
import { type Composition, compose } from './container.js';
import type { PlanName } from './domain/plan.js';
import { isRefusal } from './domain/refusal.js';
import { CLOCK, ISSUE_KEY, LOG, OPEN_ACCOUNT, PUBLISH_NEWS, TOKENS } from './parts.js';
import { startService } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

/** `npm run demo`: the service in memory with a feed that moves, and three accounts whose keys are shown. */
const SAMPLE_ITEMS = 2_000;
const NEW_ITEM_EVERY_MS = 5_000;
const BATCH = 100;

const config = readConfig({
  TEST_CLOCK: '1',
  LOG_LEVEL: 'warn',
  ...process.env,
  // Whatever is set for the service itself: a demo leaves nothing behind.
  DATABASE_URL: undefined,
  DATABASE_REPLICA_URLS: undefined,
  REDIS_URL: undefined,
});
if ('faults' in config) {
  for (const fault of config.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}
const service = compose(config);
await publishSample(service);
const starting = startService(service, config);
const stopNews = keepPublishing(service);
stopOnSignals(async () => {
  stopNews();
  await (await starting).stop();
}, service.get(LOG));
const running = await starting;
announce(config, running, service.get(TOKENS));
await showKeys(service, running.port);

async function publishSample({ get }: Composition): Promise<void> {
  const publications = sampleFeed(SAMPLE_ITEMS, get(CLOCK)());
  for (let from = 0; from < publications.length; from += BATCH) {
    await get(PUBLISH_NEWS)(publications.slice(from, from + BATCH), 'backfill');
  }
}

function keepPublishing({ get }: Composition): () => void {
  let number = SAMPLE_ITEMS;
  const timer = setInterval(async () => {
    await get(PUBLISH_NEWS)([samplePublication(number, get(CLOCK)())], 'live');
    number += 1;
  }, NEW_ITEM_EVERY_MS);
  return () => clearInterval(timer);
}

/** The one place where keys are shown: they are the visitor's own, and gone with the process. */
async function showKeys({ get }: Composition, port: number): Promise<void> {
  const news = `http://localhost:${port}/pm/v2/news`;
  const commands: readonly (readonly [PlanName, (key: string) => string])[] = [
    ['free', (key) => `curl -H 'Authorization: Bearer ${key}' '${news}?limit=2'`],
    ['builder', (key) => `curl -H 'X-API-Key: ${key}' '${news}?limit=2'`],
    ['pro', (key) => `curl '${news}?limit=2&api_key=${key}'`],
  ];
  for (const [plan, command] of commands) {
    const account = await get(OPEN_ACCOUNT)(
      { email: `${plan}@demo.example`, plan, processorCustomerId: null },
      'demo',
    );
    const issued = isRefusal(account) ? account : await get(ISSUE_KEY)(account.id, null, 'demo');
    if (isRefusal(issued)) throw new Error(`the demo could not make its ${plan} key: ${issued.refused}`);
    console.log(`\n${plan} (${issued.account.id}, ${issued.key.id})\n${command(issued.value)}`);
  }
}
