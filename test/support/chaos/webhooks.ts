import { fromEpochMillis } from '../../../src/domain/moment.js';
import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import {
  type AccountView,
  attemptsAppliedTwice,
  seenAccount,
  statesInOrder,
} from '../load/webhook-states.js';
import { disturbed, streamCustomer, webhookStream } from '../load/webhook-stream.js';
import { type StripeEvent, stripeSignatureHeader } from '../objects/stripe-objects.js';
import { WEBHOOK_SECRET } from '../service/running-service.js';
import { anInstance, ask, issueKey, openAccount, operate, type Stage, untilAnswered } from './calls.js';
import type { Installation } from './installation.js';
import type { RunRecord } from './record.js';

const CALLERS = 2;
const SHARE_TWICE = 0.3;
const DAY_SECONDS = 86_400;
/** The clock of the service is this much later than the accounts: all events are over, and so is all dunning. */
const LATER_SECONDS = 120 * DAY_SECONDS;
export const LATER_MS = LATER_SECONDS * 1_000;
/** A customer for each so many milliseconds of the run: each has about 15 events. */
const MS_PER_CUSTOMER = 3_000;

/** The payment processor: it delivers events in any order and some of them twice, each until it is acknowledged (D29). */
export class Processor {
  readonly #stage: Stage;
  readonly #record: RunRecord;
  readonly #random: SeededRandom;
  readonly #events: readonly StripeEvent[];
  readonly #customers: number;
  readonly #everyMs: number;
  readonly #acknowledged = new Set<StripeEvent>();
  #openedAt = 0;
  #accounts: readonly string[] = [];

  /** It needs `durationMs` for its deliveries if none fails. */
  constructor(stage: Stage, record: RunRecord, random: SeededRandom, seed: number, durationMs: number) {
    this.#stage = stage;
    this.#record = record;
    this.#random = random;
    this.#customers = Math.ceil(durationMs / MS_PER_CUSTOMER);
    const start = Math.ceil(Date.now() / 1_000) + DAY_SECONDS;
    this.#events = webhookStream(this.#customers, start, seed);
    this.#everyMs = durationMs / (this.#events.length * (1 + SHARE_TWICE));
  }

  /** Opens the accounts, and sets the clock of the service to a time after all events. */
  async openAccounts(): Promise<void> {
    const { installation } = this.#stage;
    this.#openedAt = Date.now();
    const open = async (n: number) => {
      const customer = { processor_customer_id: streamCustomer(n) };
      const account = await openAccount(installation, n, `customer-${n}@example.org`, 'free', customer);
      await issueKey(installation, n, account);
      return account;
    };
    this.#accounts = await Promise.all(Array.from({ length: this.#customers }, (_, n) => open(n)));
    await advanceClock(installation, LATER_SECONDS);
  }

  async run(): Promise<void> {
    const deliveries = disturbed(this.#events, SHARE_TWICE);
    const beganAt = this.#record.now();
    let next = 0;
    const caller = async () => {
      while (!this.#stage.isOver()) {
        const dueAt = beganAt + next * this.#everyMs;
        const event = deliveries[next++];
        if (event === undefined) return;
        await new Promise((done) => setTimeout(done, Math.max(0, dueAt - this.#record.now())));
        await this.#deliver(event);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  }

  /** Delivers what is left, and compares the accounts with what the events mean in their order. */
  async judge(): Promise<void> {
    for (const event of this.#events) if (!this.#acknowledged.has(event)) await this.#deliver(event);
    const { installation } = this.#stage;
    await advanceClock(installation, 0);
    for (const event of this.#events) await this.#judgeEvent(installation, event.id);
    const [opened, now] = [fromEpochMillis(this.#openedAt), fromEpochMillis(this.#stage.time())];
    const expected = await statesInOrder(this.#events, this.#customers, opened, now);
    for (const [n, account] of this.#accounts.entries()) {
      const view = (await operate(installation, n, 'GET', `/accounts/${account}`)).reply.json as AccountView;
      const twice = attemptsAppliedTwice(view);
      if (twice.length > 0)
        this.#record.violated('no webhook is applied twice (D29)', `${account}: ${twice}`);
      const [seen, wanted] = [JSON.stringify(seenAccount(view)), JSON.stringify(expected[n])];
      if (seen !== wanted)
        this.#record.violated(
          'webhooks have the effect of their order (D29)',
          `${streamCustomer(n)}, account ${account}: ${seen}, expected ${wanted}`,
        );
    }
  }

  async #judgeEvent(installation: Installation, id: string): Promise<void> {
    const { reply } = await operate(installation, 0, 'GET', `/payment-events/${id}`);
    const { state } = (reply.json ?? {}) as { readonly state?: string };
    if (state !== 'applied')
      this.#record.violated('an acknowledged webhook is applied', `${id}: ${reply.text}`);
  }

  async #deliver(event: StripeEvent): Promise<void> {
    const { installation } = this.#stage;
    const body = JSON.stringify(event);
    const { reply, attempts } = await untilAnswered(anInstance(this.#random), (n) => {
      const signature = stripeSignatureHeader(body, WEBHOOK_SECRET, Math.floor(this.#stage.time() / 1_000));
      const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
      return ask(`${installation.url(n)}/webhooks/stripe`, { method: 'POST', headers, body });
    });
    if (reply.status !== 200)
      this.#record.violated('a valid webhook is accepted', `${event.id}: ${reply.status} ${reply.text}`);
    this.#acknowledged.add(event);
    this.#record.count('webhooks acknowledged');
    if (attempts > 1) this.#record.count('webhooks sent again', attempts - 1);
  }
}

/** When it returns, the changes that are due have been made (D30). */
async function advanceClock(installation: Installation, seconds: number): Promise<void> {
  const { reply } = await operate(installation, 0, 'POST', '/test-clock', { advance_seconds: seconds });
  if (reply.status !== 200) throw new Error(`the clock was not set: ${reply.text}`);
}
