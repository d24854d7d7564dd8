import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { causesOf } from '../../../src/domain/keys/api-key.js';
import type { Moment } from '../../../src/domain/moment.js';
import { accepted } from '../objects/builders.js';
import type { StripeEvent } from '../objects/stripe-objects.js';
import { accountsInMemory } from '../service/accounts.js';
import { streamCustomer } from './webhook-stream.js';

/** The visible state of an account, without times and ids. */
export type SeenAccount = {
  readonly plan: string;
  readonly state: string;
  readonly causes: readonly string[];
  readonly owed: readonly (readonly [invoice: string, failedRetries: number])[];
  readonly key: string | undefined;
};

/** An account as an operator sees it. */
export type AccountView = {
  readonly subscription: {
    readonly plan: string;
    readonly state: string;
    readonly causes: readonly string[];
    readonly dunning: {
      readonly open_invoices: readonly { readonly invoice_id: string; readonly failed_retries: number }[];
    } | null;
  };
  readonly keys: readonly { readonly status: string }[];
  readonly audit: readonly { readonly event: string; readonly reason: string | null }[];
};

export function seenAccount(view: AccountView): SeenAccount {
  const { plan, state, causes, dunning } = view.subscription;
  return {
    plan,
    state,
    causes,
    owed: (dunning?.open_invoices ?? []).map((invoice) => [invoice.invoice_id, invoice.failed_retries]),
    key: view.keys[0]?.status === 'revoked' ? 'revoked' : 'active',
  };
}

export function attemptsAppliedTwice({ audit }: AccountView): readonly (string | null)[] {
  const attempts = audit.filter(({ event }) => event === 'attempt_failed').map(({ reason }) => reason);
  return attempts.filter((attempt, i) => attempts.indexOf(attempt) !== i);
}

/**
 * The expected states of the first customers of a stream at `now`, with an account and a key since `opened`: the use cases in
 * memory apply each event once, in order.
 */
export async function statesInOrder(
  events: readonly StripeEvent[],
  customers: number,
  opened: Moment,
  now: Moment,
): Promise<readonly SeenAccount[]> {
  const memory = accountsInMemory();
  memory.clock.at = opened;
  const accounts = [];
  for (let n = 0; n < customers; n += 1) {
    const identity = {
      email: `${n}@example.org`,
      plan: 'free' as const,
      processorCustomerId: streamCustomer(n),
    };
    const { id } = accepted(await memory.openAccount(identity, 'operator'));
    accepted(await memory.issueKey(id, null, 'operator'));
    accounts.push(id);
  }
  memory.clock.at = now;
  const read = readStripeEvent({ prices: {}, planOfProduct: async () => null }, () => false);
  for (const event of events)
    await memory.paymentEvents.receive(await read(Buffer.from(JSON.stringify(event))));
  await memory.runDueWork.once();
  return Promise.all(
    accounts.map(async (id): Promise<SeenAccount> => {
      const account = await memory.accounts.find(id);
      if (account === null) throw new Error(`account ${id} is missing`);
      const { subscription, dunning, keys } = account;
      return {
        plan: subscription.plan,
        state: subscription.state,
        causes: causesOf(subscription.suspension),
        owed: dunning.map((invoice) => [invoice.id, invoice.failedRetries]),
        key: keys[0]?.state.status === 'revoked' ? 'revoked' : 'active',
      };
    }),
  );
}
