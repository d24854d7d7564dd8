// Measures the rate of webhooks, and checks that no event is lost: 100 000 deliveries in random order, 30 % of the events
// twice, with ten kills of the service. The result is compared with the same events applied in order.
// `npm run bench:webhooks [-- 100000 [kills]]`. It starts its own durable Postgres and stops it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountOf } from '../dist/src/adapters/postgres/accounts/account-body.js';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { readStripeEvent } from '../dist/src/adapters/stripe/stripe-events.js';
import { openAccount } from '../dist/src/domain/accounts/account.js';
import { withPaymentEvents } from '../dist/src/domain/billing/account-payments.js';
import { DUNNING } from '../dist/src/domain/billing/dunning.js';
import { DAY, fromEpochMillis, plus } from '../dist/src/domain/moment.js';
import { disturbed, streamCustomer, webhookStream } from '../dist/test/support/load/webhook-stream.js';
import { stripeSignatureHeader } from '../dist/test/support/objects/stripe-objects.js';
import { operate } from './internal-calls.mjs';
import { startService } from './service.mjs';

const [wanted = 100_000, killsWanted = 10] = process.argv.slice(2).map(Number);
const CALLERS = 16;
const TWICE = 0.3;
const EVENTS_PER_CUSTOMER = 10;
const SECRET = 'whsec_of_the_bench';
const OPENED = fromEpochMillis(Date.now());
const DAYS = 120;

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
chmodSync(folder, 0o755); // As root, Postgres runs as another user.
const postgres = await startPostgresServer({ folder: join(folder, 'postgres'), durable: true });
const settings = {
  DATABASE_URL: postgres.url,
  STRIPE_WEBHOOK_SECRET: SECRET,
  TEST_CLOCK: '1',
  LOG_LEVEL: 'info',
};
let service = await startService(settings);
const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });

try {
  const customers = Math.ceil(wanted / (1 + TWICE) / EVENTS_PER_CUSTOMER);
  const start = Math.ceil(Date.parse(OPENED) / 1_000) + 86_400;
  const events = webhookStream(customers, start);
  const deliveries = disturbed(events, TWICE);
  await openAccounts(customers);
  await operate(service, '/test-clock', { advance_seconds: DAYS * 86_400 });
  await run(events, deliveries);
  await check(events, customers);
} finally {
  await service.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function openAccounts(customers) {
  let next = 0;
  const caller = async () => {
    for (let n = next++; n < customers; n = next++) {
      const body = { email: `${n}@example.org`, plan: 'free', processor_customer_id: streamCustomer(n) };
      await operate(service, '/accounts', body);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function run(events, deliveries) {
  const millis = [];
  const states = {};
  const lost = { answers: 0 };
  let next = 0;
  let kills = 0;
  const began = performance.now();
  const caller = async () => {
    for (let event = deliveries[next++]; event !== undefined; event = deliveries[next++]) {
      if (kills < killsWanted && next >= ((kills + 0.5) * deliveries.length) / killsWanted) {
        kills += 1;
        process.kill(service.pid, 'SIGKILL');
        service = await startService(settings);
      }
      const state = await deliver(event, millis, lost);
      states[state] = (states[state] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const seconds = (performance.now() - began) / 1_000;
  millis.sort((a, b) => a - b);
  const at = (share) => millis[Math.floor(share * (millis.length - 1))].toFixed(1);
  const rate = Math.round(deliveries.length / seconds);
  console.log(
    `${deliveries.length} deliveries of ${events.length} events in ${seconds.toFixed(0)} s: ${rate} per second`,
  );
  console.log(
    `${JSON.stringify(states)}; ${kills} kills, ${lost.answers} deliveries without a response, repeated`,
  );
  console.log(`response time: median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
}

async function deliver(event, millis, lost) {
  const payload = JSON.stringify(event);
  for (;;) {
    const seconds = Math.floor(Date.now() / 1_000) + DAYS * 86_400;
    const began = performance.now();
    const answer = await post(`${service.url}/webhooks/stripe`, payload, {
      'Stripe-Signature': stripeSignatureHeader(payload, SECRET, seconds),
    });
    if (answer?.status === 200) {
      millis.push(performance.now() - began);
      return answer.json.state;
    }
    lost.answers += 1;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Checks that every event was applied, and that each account equals the result of its events applied in order. */
async function check(events, customers) {
  const db = connect(postgres.url, LONG_TIMEOUTS, 1);
  const [{ count }] = await db('payment_event').where({ state: 'applied' }).count();
  const now = plus(OPENED, DAYS * DAY);
  const read = readStripeEvent({ prices: {}, planOfProduct: async () => null });
  const byCustomer = new Map();
  for (const event of events) {
    const { id, at, customer, fact } = await read(Buffer.from(JSON.stringify(event)));
    byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), { id, at, fact }]);
  }
  const context = { actor: 'processor', reason: null, at: now };
  const rules = { schedule: DUNNING, pastDue: 'serve', unasked: 'no processor' };
  let same = 0;
  for (const { body } of await db('account').select('body')) {
    const identity = { id: body.id, subscriptionId: body.subscription.id, email: body.email, plan: 'free' };
    const opening = openAccount({ ...identity, processorCustomerId: body.processorCustomerId }, context).next;
    const { next } = withPaymentEvents(
      opening,
      byCustomer.get(body.processorCustomerId) ?? [],
      rules,
      context,
    );
    same += shown(next) === shown(accountOf(body)) ? 1 : 0;
  }
  const repeated = await db('audit')
    .select('account_id', db.raw("entry ->> 'reason' as reason"))
    .whereRaw("entry ->> 'event' = 'attempt_failed'")
    .groupByRaw('1, 2')
    .havingRaw('count(*) > 1');
  await disconnect(db);
  console.log(
    `${count} of ${events.length} events stored as applied; ${same} of ${customers} accounts equal to the in-order run; ${repeated.length} attempts applied twice`,
  );
  if (Number(count) !== events.length || same !== customers || repeated.length > 0) process.exitCode = 1;
}

function sorted(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, entry]) => [name, sorted(entry)]));
}

/** Everything in an account that depends on payments, including the payment facts. */
function shown({ subscription: { plan, state, suspension }, payments, dunning, pending }) {
  return JSON.stringify(sorted({ plan, state, suspension, payments, dunning, pending }));
}

/** Null if no response arrived. */
function post(url, body, headers) {
  return new Promise((done) => {
    const options = { method: 'POST', agent, headers: { 'Content-Type': 'application/json', ...headers } };
    const sending = request(url, options);
    sending
      .once('error', () => done(null))
      .once('response', async (response) => {
        try {
          const chunks = [];
          for await (const chunk of response) chunks.push(chunk);
          done({ status: response.statusCode, json: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
        } catch {
          done(null);
        }
      });
    sending.end(body);
  });
}
