import { randomUUID } from 'node:crypto';
import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { cachedWindows } from '../../../src/adapters/caching/limits/cached-windows.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { MemoryPaymentInbox } from '../../../src/adapters/memory/billing/memory-payment-inbox.js';
import { MemoryGate } from '../../../src/adapters/memory/keys/memory-gate.js';
import { MemoryKeyUses } from '../../../src/adapters/memory/keys/memory-key-uses.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { randomIds, sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import { Hold } from '../../../src/application/accounts/hold.js';
import { openAccount as openingAccount } from '../../../src/application/accounts/open-account.js';
import { RunDueWork } from '../../../src/application/accounts/run-due-work.js';
import { PaymentEvents } from '../../../src/application/billing/payment-events.js';
import { editKey as editingKey } from '../../../src/application/keys/edit-key.js';
import { freshKey, type IssuedKey } from '../../../src/application/keys/fresh-key.js';
import { issueKey as issuingKey } from '../../../src/application/keys/issue-key.js';
import { revokeKey as revokingKey } from '../../../src/application/keys/revoke-key.js';
import { rotateKey as rotatingKey } from '../../../src/application/keys/rotate-key.js';
import { admitRequest } from '../../../src/application/limits/admit-request.js';
import { GuardAddress } from '../../../src/application/limits/guard-address.js';
import { openWindows } from '../../../src/application/limits/open-windows.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import {
  type Account,
  type AccountId,
  type Change,
  openAccount,
} from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { BillingRules } from '../../../src/domain/billing/account-payments.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import { PLANS, type PlanName, type Plans } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { type FreshKey, issueKey, keyOf } from '../../../src/domain/keys/account-keys.js';
import type { ApiKey, KeyId } from '../../../src/domain/keys/api-key.js';
import { type KeyHash, keyFormat } from '../../../src/domain/keys/key-value.js';
import { accepted, auditContext, NOON } from '../objects/builders.js';

/** A new account with unique ids, because tests share their stores. */
export const anOpening = (
  plan: PlanName = 'pro',
  identity: { readonly email?: string; readonly processorCustomerId?: string } = {},
): Change => {
  const id = randomUUID();
  return openAccount(
    {
      id: `acc_${id}` as AccountId,
      subscriptionId: `sub_${id}` as SubscriptionId,
      email: (identity.email ?? `${id}@example.org`).toLowerCase() as EmailAddress,
      plan,
      processorCustomerId: identity.processorCustomerId ?? null,
    },
    auditContext(),
  );
};

/** A key with a unique id and hash. */
export const aFreshKey = (): FreshKey => {
  const id = randomUUID();
  return { id: `key_${id}` as KeyId, hash: `hash_${id}` as KeyHash, prefix: 'svc_abcdefgh', label: null };
};

/** Stores an account with this number of active keys. */
export async function anAccount(accounts: Accounts, keys = 1, plan: PlanName = 'pro'): Promise<Account> {
  let account = accepted(await accounts.open(anOpening(plan)));
  for (let i = 0; i < keys; i += 1) {
    account = accepted(
      await accounts.change(account.id, (found) => issueKey(found, aFreshKey(), PLANS[plan], auditContext())),
    );
  }
  return account;
}

/** A change that leaves the account as it is. */
export const unchanged = (accounts: Accounts, id: AccountId) =>
  accounts.change(id, (account) => ({ next: account, entries: [] }));

/** The first key of an account. Throws if it has none. */
export function firstKey({ keys: [key] }: Account) {
  if (key === undefined) throw new Error('the account has no key');
  return key;
}

const thrown = (fault: unknown) => {
  throw fault;
};

/** The use cases of accounts and keys in memory, composed as in the service. Tests set the clock. */
export function accountsInMemory(settings: { readonly plans?: Plans } = {}) {
  const { plans = PLANS } = settings;
  const clock = { at: NOON };
  const now = () => clock.at;
  const outbox = new MemoryOutbox();
  const stored = new MemoryAccounts(outbox);
  const inbox = new MemoryPaymentInbox(stored);
  const invalidations = new MemoryInvalidations();
  const accounts = invalidatingAccounts(stored, invalidations);
  const gate = new MemoryGate(stored);
  const counters = new MemoryCounters(now);
  const keyUses = new MemoryKeyUses();
  const guard = new GuardAddress({ counters, clock: now, anonymousPerMinute: 30 });
  const format = keyFormat('svc_');
  const makeKey = freshKey({ ids: randomIds, keyFormat: format, hashKey: sha256OfKey });
  const changing = { accounts, clock: now };
  const admitting = {
    gate,
    counters,
    keyUses,
    guardAddress: guard,
    clock: now,
    openWindows: cachedWindows(openWindows({ plans })),
    noteUse: () => {},
  };
  const billingRules: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
  const paymentEvents = new PaymentEvents({
    inbox,
    billingRules,
    clock: now,
    note: () => {},
    reportFailure: thrown,
  });
  const pause = async () => {};
  const dueWorkParts = {
    accounts,
    keyUses,
    clock: now,
    billingRules,
    processor: null,
    pause,
    reportFailure: thrown,
  };
  return {
    billingRules,
    inbox,
    outbox,
    stored,
    paymentEvents,
    dueWorkParts,
    clock,
    accounts,
    counters,
    keyUses,
    guard,
    format,
    openAccount: openingAccount({ ...changing, paymentEvents, ids: randomIds }),
    issueKey: issuingKey({ ...changing, makeKey, plans }),
    rotateKey: rotatingKey({ ...changing, makeKey }),
    editKey: editingKey({ ...changing, plans }),
    revokeKey: revokingKey(changing),
    hold: new Hold(changing),
    runDueWork: new RunDueWork(dueWorkParts),
    /** The hash of a credential, as the HTTP layer passes it on. */
    keyOf: (credential: string | null): KeyHash | 'malformed' | null => {
      if (credential === null) return null;
      const value = format.recognise(credential);
      return value === undefined ? 'malformed' : sha256OfKey(value);
    },
    /** The gateway; `other` replaces dependencies. */
    admitRequest: (other: Partial<Parameters<typeof admitRequest>[0]> = {}) =>
      admitRequest({ ...admitting, ...other }),
  };
}

export type InMemory = ReturnType<typeof accountsInMemory>;

/** Opens an account with one key; the result includes the secret of the key. */
export async function aHolder(service: InMemory, plan: PlanName = 'pro'): Promise<IssuedKey> {
  const identity = { email: `${randomUUID()}@example.org`, plan, processorCustomerId: null };
  const { id } = accepted(await service.openAccount(identity, 'operator'));
  return accepted(await service.issueKey(id, null, 'operator'));
}

/** Changes a stored account without applying any rule. */
export async function rewrite(
  { accounts }: Pick<InMemory, 'accounts'>,
  id: AccountId,
  as: (account: Account) => Account,
): Promise<Account> {
  return accepted(await accounts.change(id, (account) => ({ next: as(account), entries: [] })));
}

/** A key as it is stored now. */
export async function storedKey({ accounts }: Pick<InMemory, 'accounts'>, id: KeyId): Promise<ApiKey> {
  const holder = await accounts.findByKey(id);
  if (holder === null) throw new Error(`no account has key ${id}`);
  return accepted(keyOf(holder, id));
}
