import { randomBytes } from 'node:crypto';
import type { DemoAccount } from './adapters/dashboard/demo/demo-bar.js';
import { sampleFeed, samplePublication } from './adapters/sample/sample-feed.js';
import { PretendStripe } from './adapters/stripe/pretend-stripe.js';
import { announce } from './announcement.js';
import { readConfig } from './config.js';
import { type Composition, compose } from './container.js';
import type { AccountId } from './domain/account.js';
import type { PlanName } from './domain/plan.js';
import { isRefusal } from './domain/refusal.js';
import {
  CLOCK,
  DEMO_ACCOUNTS,
  ISSUE_KEY,
  LOG,
  OPEN_ACCOUNT,
  PRETEND,
  PUBLISH_NEWS,
  TOKENS,
} from './parts.js';
import { startService } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

/** `npm run demo`: the service in memory with a feed that moves, and three accounts whose keys are shown. */
const SAMPLE_ITEMS = 2_000;
const NEW_ITEM_EVERY_MS = 5_000;
const BATCH = 100;

/** Shared by the service and its pretend processor alone. */
const secret = `whsec_${randomBytes(24).toString('hex')}`;
const config = readConfig({
  TEST_CLOCK: '1',
  LOG_LEVEL: 'warn',
  ...process.env,
  // Whatever is set for the service itself: a demo leaves nothing behind.
  DATABASE_URL: undefined,
  DATABASE_REPLICA_URLS: undefined,
  REDIS_URL: undefined,
  WEB_CONCURRENCY: undefined,
  STRIPE_API_KEY: undefined,
  STRIPE_WEBHOOK_SECRET: secret,
});
if ('faults' in config) {
  for (const fault of config.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}
let publicUrl = '';
/** Whom a visitor of the dashboard may be. */
const demoAccounts: DemoAccount[] = [];
const service = compose(config, ({ part, get }) => {
  part(PRETEND, () => {
    const processor = new PretendStripe({ secret, clock: get(CLOCK) });
    return (account, outcome) => processor.act(publicUrl, account, outcome);
  });
  part(DEMO_ACCOUNTS, () => () => demoAccounts);
});
await publishSample(service);
const starting = startService(service, config);
const stopNews = keepPublishing(service);
stopOnSignals({
  log: service.get(LOG),
  stop: async () => {
    stopNews();
    await (await starting).stop();
  },
});
const running = await starting;
publicUrl = `http://127.0.0.1:${running.port}`;
announce(config, running, service.get(TOKENS));
showPayments(service, running.internalPort, await showKeys(service, running.port));
console.log(`\nThe dashboard, where one click signs you in: http://localhost:${running.port}/dashboard`);

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
async function showKeys({ get }: Composition, port: number): Promise<AccountId> {
  const news = `http://localhost:${port}/pm/v2/news`;
  const show = async (plan: PlanName, command: (key: string) => string): Promise<AccountId> => {
    const identity = { email: `${plan}@demo.example`, plan, processorCustomerId: `cus_demo_${plan}` };
    const account = await get(OPEN_ACCOUNT)(identity, 'demo');
    const issued = isRefusal(account) ? account : await get(ISSUE_KEY)(account.id, null, 'demo');
    if (isRefusal(issued)) throw new Error(`the demo could not make its ${plan} key: ${issued.refused}`);
    demoAccounts.push({ id: issued.account.id, words: `Sign in as ${identity.email}` });
    console.log(`\n${plan} (${issued.account.id}, ${issued.key.id})\n${command(issued.value)}`);
    return issued.account.id;
  };
  await show('free', (key) => `curl -H 'Authorization: Bearer ${key}' '${news}?limit=2'`);
  await show('builder', (key) => `curl -H 'X-API-Key: ${key}' '${news}?limit=2'`);
  return show('pro', (key) => `curl '${news}?limit=2&api_key=${key}'`);
}

/** How to see 402 come and go: a payment fails, two weeks pass, it is paid. */
function showPayments({ get }: Composition, internalPort: number, account: AccountId): void {
  const token = process.env['OPERATOR_TOKEN'] ? '$OPERATOR_TOKEN' : get(TOKENS).operator;
  const operate = (path: string, body: object) =>
    `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' ` +
    `-d '${JSON.stringify(body)}' http://localhost:${internalPort}/internal/v1${path}`;
  const pretend = (outcome: string) => operate('/demo/payments', { account_id: account, outcome });
  console.log(`
A pretend payment processor ("fail", "pay", "cancel"): after these two lines the pro key gets 402, and 200 after the third.
${pretend('fail')}
${operate('/test-clock', { advance_seconds: 14 * 86_400 })}
${pretend('pay')}`);
}
