import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DemoAccount } from '../adapters/dashboard/demo/demo-bar.js';
import { sampleFeed, samplePublication } from '../adapters/sample/sample-feed.js';
import { FakeStripe } from '../adapters/stripe/fake-stripe.js';
import { compose, type Parts } from '../composition/compose.js';
import type { AccountId } from '../domain/accounts/account.js';
import type { PlanName } from '../domain/billing/plan.js';
import { isRefusal } from '../domain/refusal.js';
import { announce } from '../process/announcement.js';
import { startService } from '../process/service.js';
import { stopOnSignals } from '../process/stop-on-signals.js';
import { type Config, readConfig } from '../settings/config.js';
import type { Environment } from '../settings/environment.js';
import { processEnvironment } from '../settings/process-environment.js';

/** `npm run demo`: the service in memory, a sample feed with new items, and three accounts whose keys are printed. */
const SAMPLE_ITEMS = 2_000;
const NEW_ITEM_EVERY_MS = 5_000;
const BATCH = 100;
const PLAN_TITLES: Readonly<Record<PlanName, string>> = { free: 'Free', builder: 'Builder', pro: 'Pro' };

/** The webhook secret. Only the service and its fake payment processor have it. */
const secret = `whsec_${randomBytes(24).toString('hex')}`;
const settings: Environment = {
  LOG_LEVEL: 'warn',
  ...processEnvironment(),
  TEST_CLOCK: '1',
  // A demo stores nothing and sends no email. It therefore ignores these settings.
  SMTP_URL: undefined,
  DATABASE_URL: undefined,
  DATABASE_REPLICA_URLS: undefined,
  REDIS_URL: undefined,
  WEB_CONCURRENCY: undefined,
  STRIPE_API_KEY: undefined,
  STRIPE_PAYMENT_LINK: undefined,
  STRIPE_WEBHOOK_SECRET: secret,
};
const config = readConfig(settings, (line) => console.error(`oddswire: ${line}`));
if ('faults' in config) {
  for (const fault of config.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}
let publicUrl = '';
/** The accounts that a visitor of the dashboard can sign in to. */
const demoAccounts: DemoAccount[] = [];
const service = compose(config, (parts) => ({
  fakePayments: () => {
    const referenceFor = async (id: AccountId) => {
      const issued = await parts.makeCheckoutReference(id);
      if (isRefusal(issued))
        throw new Error(`cannot create a checkout reference for the demo: ${issued.refused}`);
      return issued.reference;
    };
    const processor = new FakeStripe({ secret, clock: parts.clock, referenceFor });
    return (account, outcome) => processor.pay(publicUrl, account, outcome);
  },
  demoAccounts: () => () => demoAccounts,
}));
await publishSample(service.parts);
const starting = startService(service, config);
const stopPublishing = keepPublishing(service.parts);
stopOnSignals({
  log: service.parts.log,
  stop: async () => {
    stopPublishing();
    await (await starting).stop();
  },
});
const running = await starting.catch((fault: unknown): never => {
  console.error(`oddswire: cannot start: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(1);
});
publicUrl = `http://127.0.0.1:${running.port}`;
announce(config, running);
showPayments(config, running.internalPort, await showKeys(service.parts, running.port));
console.log('\n`curl -N` shows the live stream: a new item every 5 seconds. Ctrl-C ends it.');
console.log(`\nOpen the dashboard (sign in with one click): http://localhost:${running.port}/dashboard`);

async function publishSample({ clock, publishNews }: Parts): Promise<void> {
  const publications = sampleFeed(SAMPLE_ITEMS, clock());
  for (let from = 0; from < publications.length; from += BATCH) {
    await publishNews(publications.slice(from, from + BATCH), 'backfill');
  }
}

function keepPublishing({ clock, publishNews }: Parts): () => void {
  let number = SAMPLE_ITEMS;
  const timer = setInterval(async () => {
    await publishNews([samplePublication(number, clock())], 'live');
    number += 1;
  }, NEW_ITEM_EVERY_MS);
  return () => clearInterval(timer);
}

/**
 * Prints the keys of the demo. No other code prints keys. These belong to the visitor and are lost when the process
 * ends.
 */
async function showKeys({ openAccount, issueKey }: Parts, port: number): Promise<AccountId> {
  const news = `http://localhost:${port}/pm/v2/news`;
  const stream = `http://localhost:${port}/pm/v2/stream`;
  const show = async (plan: PlanName, command: (key: string) => string): Promise<AccountId> => {
    const identity = { email: `${plan}@demo.example`, plan, processorCustomerId: `cus_demo_${plan}` };
    const account = await openAccount(identity, 'demo');
    const issued = isRefusal(account) ? account : await issueKey(account.id, null, 'demo');
    if (isRefusal(issued)) throw new Error(`cannot issue the ${plan} key of the demo: ${issued.refused}`);
    demoAccounts.push({ id: issued.account.id, label: `Sign in as ${identity.email}` });
    console.log(
      `\n${PLAN_TITLES[plan]} plan (${issued.account.id}, ${issued.key.id})\n${command(issued.value)}`,
    );
    return issued.account.id;
  };
  await show('free', (key) => `curl -H 'Authorization: Bearer ${key}' '${news}?limit=2'`);
  await show(
    'builder',
    (key) => `curl -H 'X-API-Key: ${key}' '${news}?limit=2'\ncurl -N -H 'X-API-Key: ${key}' '${stream}'`,
  );
  return show('pro', (key) => `curl '${news}?limit=2&api_key=${key}'`);
}

/** A shell expression that expands to the operator token. The demo prints keys, but no internal tokens. */
function operatorTokenInShell({ operatorToken, stateDir }: Config): string {
  const quoted = (script: string) => `'${script.replaceAll("'", "'\\''")}'`;
  if (operatorToken === undefined) {
    const file = JSON.stringify(resolve(stateDir, 'tokens.json'));
    return `$(node -p ${quoted(`require(${file}).operator`)})`;
  }
  return existsSync('.env') ? '$(node --env-file=.env -p process.env.OPERATOR_TOKEN)' : '$OPERATOR_TOKEN';
}

/** Prints the commands that cause and end a 402: a payment fails, two weeks pass, the payment succeeds. */
function showPayments(config: Config, internalPort: number, account: AccountId): void {
  const token = operatorTokenInShell(config);
  const operate = (path: string, body: object) =>
    `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' ` +
    `-d '${JSON.stringify(body)}' http://localhost:${internalPort}/internal/v1${path}`;
  const fakePayment = (outcome: string) => operate('/demo/payments', { account_id: account, outcome });
  console.log(`
Simulate payments ("fail", "pay", "cancel"). These commands fail a payment, advance the clock by 14 days, and pay.
After the second command, requests with the Pro key return 402. After the third, they return 200 again:
${fakePayment('fail')}
${operate('/test-clock', { advance_seconds: 14 * 86_400 })}
${fakePayment('pay')}`);
}
