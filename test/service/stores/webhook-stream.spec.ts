import { expect } from 'chai';
import { DAY, type Moment, plus } from '../../../src/domain/moment.js';
import {
  type AccountView,
  attemptsAppliedTwice,
  type SeenAccount,
  seenAccount,
  statesInOrder,
} from '../../support/load/webhook-states.js';
import { disturbed, streamCustomer, webhookStream } from '../../support/load/webhook-stream.js';
import { type StripeEvent, stripeSignatureHeader } from '../../support/objects/stripe-objects.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { serverUrl } from '../../support/servers/stores.js';
import { advance, issue } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { launchInstance, type Service, WEBHOOK_SECRET } from '../../support/service/running-service.js';

const CUSTOMERS = process.env['DEEP'] ? 100 : 25;
const KILLS = 10;
const CALLERS = 12;
const DAYS = 120;

/** D29: events in any order, some delivered twice, while the service is killed. */
describe('A stream of webhooks', function () {
  this.timeout(120_000);
  const tokens = { operator: 'operator-token-of-the-tests', publisher: 'publisher-token-of-the-tests' };
  let url: string;
  let service: Service;
  const start = async (): Promise<Service> => {
    const instance = await launchInstance({ DATABASE_URL: url }).listening;
    const stop = async () => void (await instance.stop());
    return { instances: [instance], tokens, stateDir: '', stop };
  };
  before(async () => {
    url = await freshDatabase(serverUrl());
    service = await start();
  });
  after(() => service.stop());

  async function seenOf(client: Client, account: string): Promise<SeenAccount> {
    const view = (await client.operate('GET', `/internal/v1/accounts/${account}`)).json as AccountView;
    expect(attemptsAppliedTwice(view), 'an attempt was applied twice').to.deep.equal([]);
    return seenAccount(view);
  }

  /** Delivers as the processor does: repeats until the event is acknowledged. */
  async function deliver(event: StripeEvent, seconds: () => number): Promise<string> {
    const body = JSON.stringify(event);
    for (;;) {
      try {
        const reply = await send(`${service.instances[0]?.url}/webhooks/stripe`, {
          method: 'POST',
          headers: { 'Stripe-Signature': stripeSignatureHeader(body, WEBHOOK_SECRET, seconds()) },
          body,
        });
        if (reply.status === 200) return (reply.json as { readonly state: string }).state;
        expect(reply.status).to.equal(503);
      } catch (fault) {
        if ((fault as { readonly code?: string }).code === undefined) throw fault;
      }
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  it('gives the same states shuffled, 30 % of it repeated and with ten kills as in order', async () => {
    const before = await Client.of(service);
    const opened = (await before.time()) as Moment;
    const accounts: string[] = [];
    for (let n = 0; n < CUSTOMERS; n += 1) {
      const reply = await before.operate('POST', '/internal/v1/accounts', {
        email: `stream-${n}@example.org`,
        plan: 'free',
        processor_customer_id: streamCustomer(n),
      });
      const { account_id } = reply.json as { readonly account_id: string };
      await issue(before, account_id);
      accounts.push(account_id);
    }
    const events = webhookStream(CUSTOMERS, Math.ceil(Date.parse(opened) / 1_000) + 86_400);
    const deliveries = disturbed(events, 0.3);
    await advance(before, DAYS * 86_400);
    const ahead = Date.parse(await before.time()) - Date.now();
    const seconds = () => Math.floor((Date.now() + ahead) / 1_000);

    const states: Record<string, number> = {};
    let sent = 0;
    let kills = 0;
    const killAt = (n: number) => Math.floor(((n + 0.5) * deliveries.length) / KILLS);
    const caller = async () => {
      for (let event = deliveries[sent++]; event !== undefined; event = deliveries[sent++]) {
        if (kills < KILLS && sent >= killAt(kills)) {
          kills += 1;
          service.instances[0]?.process.kill('SIGKILL');
          service = await start();
        }
        const state = await deliver(event, seconds);
        states[state] = (states[state] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    console.log(
      `      ${deliveries.length} deliveries of ${events.length} events, ${kills} kills: ${JSON.stringify(states)}`,
    );
    expect(kills).to.equal(KILLS);
    expect(Object.keys(states).sort()).to.deep.equal(['applied', 'known']);
    // If a kill loses the answer of an applied event, the repeated delivery is answered `known`.
    expect(states['applied']).to.be.within(events.length - KILLS * CALLERS, events.length);

    const after = await Client.of(service);
    await advance(after, 0);
    for (const event of events) {
      const reply = await after.operate('GET', `/internal/v1/payment-events/${event.id}`);
      expect((reply.json as { readonly state: string }).state, event.id).to.equal('applied');
    }
    const expected = await statesInOrder(events, CUSTOMERS, opened, plus(opened, DAYS * DAY));
    for (const [n, account] of accounts.entries()) {
      expect(await seenOf(after, account), streamCustomer(n)).to.deep.equal(expected[n]);
    }
    expect(new Set(expected.map(({ state }) => state)).size).to.be.greaterThan(3);
    expect(expected.filter(({ causes }) => causes.length > 0).length).to.be.greaterThan(5);
    expect(expected.filter(({ key }) => key === 'revoked').length).to.be.greaterThan(5);
  });
});
