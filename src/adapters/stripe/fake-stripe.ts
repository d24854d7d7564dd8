import type { Clock } from '../../application/ports/clock.js';
import type { Account, AccountId } from '../../domain/accounts/account.js';
import { rulingSubscription } from '../../domain/billing/billing.js';
import { hasEnded, type ProcessorStatus } from '../../domain/billing/payment-event.js';
import { epochSeconds } from '../../domain/moment.js';
import { stripeLibrary } from './stripe-library.js';

type Outcome = 'fail' | 'pay' | 'cancel';
type Sent = { readonly type: string; readonly status: number };
type Webhook = readonly [type: string, object: object];
/** A checkout reference for an account. */
type ReferenceFor = (account: AccountId) => Promise<string>;

const customerOf = ({ id, processorCustomerId }: Account): string => processorCustomerId ?? `cus_${id}`;

/**
 * A payment processor for demos. It sends the signed webhooks that Stripe would send, so that a visitor sees keys get
 * 402 and recover. It stores nothing: it reads from the account what has happened before.
 */
export class FakeStripe {
  readonly #secret: string;
  readonly #clock: Clock;
  readonly #referenceFor: ReferenceFor;
  #sentCount = 0;

  constructor(parts: {
    readonly secret: string;
    readonly clock: Clock;
    readonly referenceFor: ReferenceFor;
  }) {
    this.#secret = parts.secret;
    this.#clock = parts.clock;
    this.#referenceFor = parts.referenceFor;
  }

  /** Sends the webhooks of an outcome to the service at `url`. Returns their types and the status of each answer. */
  async pay(url: string, account: Account, outcome: Outcome): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    for (const [type, object] of [...(await this.#checkout(account)), ...this.#webhooksOf(account, outcome)])
      sent.push(await this.#send(url, type, object));
    return sent;
  }

  /** The webhook of the checkout that links an account to a customer; none if it is linked. */
  async #checkout(account: Account): Promise<readonly Webhook[]> {
    if (account.processorCustomerId !== null) return [];
    const reference = await this.#referenceFor(account.id);
    const session = { customer: customerOf(account), created: this.#now(), client_reference_id: reference };
    return [['checkout.session.completed', session]];
  }

  #webhooksOf(account: Account, outcome: Outcome): readonly Webhook[] {
    const customer = customerOf(account);
    const current = rulingSubscription(account.payments);
    const hasSubscription = current !== null && !hasEnded(current.status.value);
    const id = hasSubscription ? current.id : `sub_demo_${this.#next()}`;
    const created = hasSubscription ? epochSeconds(current.startedAt) : this.#now();
    const subscription = (status: ProcessorStatus) => ({
      id,
      customer,
      created,
      status,
      items: { data: [{ price: { id: 'price_demo', lookup_key: account.subscription.plan } }] },
    });
    const started: readonly Webhook[] = hasSubscription
      ? []
      : [['customer.subscription.created', subscription('active')]];
    return [...started, ...this.#outcome(account, outcome, customer, id, subscription)];
  }

  #outcome(
    { dunning }: Account,
    outcome: Outcome,
    customer: string,
    id: string,
    subscription: (status: ProcessorStatus) => object,
  ): readonly Webhook[] {
    const invoice = (invoiceId: string, attempts: number) => ({
      id: invoiceId,
      customer,
      subscription: id,
      attempt_count: attempts,
      billing_reason: 'subscription_cycle',
    });
    switch (outcome) {
      case 'fail': {
        const [open] = dunning;
        const failed = invoice(open?.id ?? `in_demo_${this.#next()}`, (open?.failedRetries ?? -1) + 2);
        return [
          ['invoice.payment_failed', failed],
          ['customer.subscription.updated', subscription('past_due')],
        ];
      }
      case 'pay':
        return [
          ...dunning.map((open): Webhook => ['invoice.paid', invoice(open.id, open.failedRetries + 2)]),
          ['customer.subscription.updated', subscription('active')],
        ];
      case 'cancel':
        return [['customer.subscription.deleted', subscription('canceled')]];
    }
  }

  async #send(url: string, type: string, object: object): Promise<Sent> {
    const event = {
      id: `evt_demo_${this.#next()}`,
      object: 'event',
      created: this.#now(),
      type,
      data: { object },
    };
    const payload = JSON.stringify(event);
    const { webhooks } = new (stripeLibrary())('unused');
    const signature = webhooks.generateTestHeaderString({
      payload,
      secret: this.#secret,
      timestamp: this.#now(),
    });
    const answer = await fetch(`${url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body: payload,
    });
    return { type, status: answer.status };
  }

  /** Ascending ids, so that of two events in the same second the later one wins. */
  #next(): string {
    this.#sentCount += 1;
    return String(this.#sentCount).padStart(6, '0');
  }

  #now(): number {
    return epochSeconds(this.#clock());
  }
}
