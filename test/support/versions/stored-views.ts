import { accountJson } from '../../../src/adapters/http/accounts/account-json.js';
import { emailOf } from '../../../src/adapters/mail/email-templates.js';
import type { Account, AccountId } from '../../../src/domain/accounts/account.js';
import { applyDueAndDecide, nextDue, withFirstUses } from '../../../src/domain/accounts/account-due.js';
import { withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { openQuestions } from '../../../src/domain/billing/processor-questions.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { uncheckedSuccessors } from '../../../src/domain/keys/overlap.js';
import { whyAccessRefused } from '../../../src/domain/limits/admission.js';
import { DAY, type Moment, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../objects/builders.js';
import { ACCOUNTS, CANCELED, minutes, RULES, type Stores, subscription } from './stored-objects.js';
import { withoutProse } from './stored-rows.js';

/** What the internal API, the gateway and emails show of the stored data, with its names on the wire. */
export async function viewsOf(stores: Stores) {
  const now: Record<string, unknown> = {};
  for (const id of ACCOUNTS) now[id] = await accountView(stores, id);
  const access = await accessViews(stores);
  const later: Record<string, unknown> = {};
  for (const id of ACCOUNTS) later[id] = await laterView(stores, id);
  const notices = await stores.outbox.claim(plus(NOON, 9 * DAY), 100);
  const emails = notices
    .map(({ id, notice, attempts }) => ({
      ...{ id: Number(id), to: notice.to, attempts },
      facts: factsOf(emailOf(notice.news, PLANS).text),
    }))
    .sort((a, b) => a.id - b.id);
  // Serialized to JSON, as in a response.
  return JSON.parse(JSON.stringify({ now, access, later, emails })) as object;
}

/** The names and times in an email. The rest of its text may change. */
const factsOf = (text: string): readonly string[] =>
  text.match(/\b(?:in_\w+|svc_\w+|id\.example|\d+ [A-Z]\w+ \d{4}(?:, \d+:\d+ UTC)?|undefined|null)/g) ?? [];

async function accountView({ accounts, keyUses }: Stores, id: AccountId) {
  const account = await accounts.find(id);
  if (account === null) throw new Error(`there is no ${id}`);
  const used = await keyUses.of(account.keys.map((key) => key.id));
  return {
    ...accountJson(account, withoutProse(await accounts.auditOf(id)), used, minutes(9)),
    due_at: nextDue(account),
    questions: questionsOf(account),
  };
}

/** With the name of the previous version, which asks about one subscription only. */
function questionsOf(account: Account) {
  const { invoices, subscriptions } = openQuestions(account, plus(NOON, 15 * DAY));
  return { invoices, subscription: subscriptions[0] ?? null };
}

/** The refusal of each key at the gateway; null if it is admitted. */
async function accessViews({ gate, accounts }: Stores) {
  const views: Record<string, unknown> = {};
  for (const id of ACCOUNTS) {
    for (const { hash } of (await accounts.find(id))?.keys ?? []) {
      const entry = await gate.find(hash as KeyHash);
      views[hash] =
        entry === null ? 'unknown' : whyAccessRefused(entry.subscription, minutes(9), entry.key.state);
    }
  }
  return views;
}

/** Then an overlap ends 24 hours after the rotation, as in the previous version. */
const usedSinceRotation = (account: Account, at: Moment): Account =>
  withFirstUses(
    account,
    new Map(
      uncheckedSuccessors(account.keys, at).map((id) => [
        id,
        account.keys.find((key) => key.id === id)?.issuedAt ?? null,
      ]),
    ),
    at,
  );

/**
 * An account after five days, a payment and an event after the end of its subscription. The result depends on
 * everything that is stored about payments and overlaps.
 */
async function laterView({ accounts }: Stores, id: AccountId) {
  const at = plus(NOON, 5 * DAY);
  const name = id.slice('acc_'.length);
  const paid: PaymentEvent = {
    id: `evt_paid_${name}`,
    at,
    fact: {
      kind: 'invoice_settled',
      invoice: 'in_owed',
      subscription: `psub_${name}`,
      settlement: 'paid',
    },
  };
  const late: PaymentEvent = { id: `evt_late_${name}`, at, fact: subscription(name, 'active') };
  const events = id === CANCELED ? [paid, late] : [paid];
  const account = accepted(
    await accounts.change(id, (found) =>
      applyDueAndDecide(usedSinceRotation(found, at), at, (current) =>
        withPaymentEvents(current, events, RULES, auditContext(at, 'processor')),
      ),
    ),
  );
  const { subscription: shown, keys } = accountJson(account, [], new Map(), at);
  return { subscription: shown, keys: keys.map(({ key_id, status, causes }) => [key_id, status, ...causes]) };
}
