import type { Account, AccountId, AuditContext } from '../../../src/domain/accounts/account.js';
import { withFirstUses } from '../../../src/domain/accounts/account-due.js';
import type { OpenInvoice } from '../../../src/domain/billing/failed-invoice.js';
import { NO_PAYMENT_FACTS } from '../../../src/domain/billing/payment-event.js';
import { PLANS, type PlanName } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId, SubscriptionState } from '../../../src/domain/billing/subscription.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { type FreshKey, issueKey, keyOf, rotateKey } from '../../../src/domain/keys/account-keys.js';
import {
  type ApiKey,
  admittedByKey,
  derivedState,
  type KeyId,
  type KeyState,
  type Suspension,
} from '../../../src/domain/keys/api-key.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { SCOPES } from '../../../src/domain/keys/scope.js';
import { SUSPENSION_CAUSES, type SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { DAY, type Moment, parseMoment, plus } from '../../../src/domain/moment.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';

/** The number of random cases of a property; `DEEP=1` multiplies it by five. */
export const runs = (numRuns: number) => ({ numRuns: process.env['DEEP'] ? numRuns * 5 : numRuns });

/** Parses a moment. Throws if the text is not a valid one. */
export function moment(text: string): Moment {
  const at = parseMoment(text);
  if (at === undefined) throw new Error(`not a moment: ${text}`);
  return at;
}

export const NOON = moment('2026-03-01T12:00:00Z');

/** Returns an accepted answer. Throws on a refusal. */
export function accepted<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer as T;
}

export const auditContext = (
  at: Moment = NOON,
  actor = 'customer',
  reason: string | null = null,
): AuditContext => ({
  actor,
  reason,
  at,
});

export const keyId = (name: string): KeyId => name as KeyId;

export const freshKey = (name: string): FreshKey => ({
  id: keyId(name),
  hash: `hash of ${name}` as KeyHash,
  prefix: `svc_${name}`,
  label: null,
});

export const key = (name: string, state: KeyState = { status: 'active' }): ApiKey => ({
  ...freshKey(name),
  scopes: [...SCOPES],
  issuedAt: NOON,
  predecessor: null,
  overlapEndsAt: null,
  firstUsedAt: null,
  controls: NO_CONTROLS,
  remindAt: null,
  state,
});

export const suspendedBy = (...causes: readonly SuspensionCause[]): Suspension =>
  causes.length === 0
    ? { status: 'active' }
    : { status: 'suspended', causes: SUSPENSION_CAUSES.filter((cause) => causes.includes(cause)) };

export type AccountParts = {
  readonly plan?: PlanName;
  readonly state?: SubscriptionState;
  readonly suspension?: Suspension;
  readonly keys?: readonly ApiKey[];
};

let accounts = 0;

/** A new account. By default it is on Pro, active and without keys. */
export function account(parts: AccountParts = {}): Account {
  accounts += 1;
  return {
    id: `account-${accounts}` as AccountId,
    email: `holder-${accounts}@example.com`,
    processorCustomerId: null,
    openedAt: NOON,
    openedPlan: parts.plan ?? 'pro',
    subscription: {
      id: `subscription-${accounts}` as SubscriptionId,
      plan: parts.plan ?? 'pro',
      state: parts.state ?? 'active',
      suspension: parts.suspension ?? { status: 'active' },
      monitoring: { isOn: true, since: NOON },
    },
    keys: parts.keys ?? [],
    closedKeys: 0,
    askTiesAt: null,
    payments: NO_PAYMENT_FACTS,
    dunning: [],
    pending: [],
  };
}

/** The account with keys of these names, issued in this order. */
export const issued = (start: Account, at: Moment, ...names: readonly string[]): Account =>
  names.reduce(
    (current, name) =>
      accepted(issueKey(current, freshKey(name), PLANS[current.subscription.plan], auditContext(at))).next,
    start,
  );

/** An open invoice after its second failed retry, with the deadline 11 days after the first failure. */
export const openInvoice = (parts: Partial<OpenInvoice> = {}): OpenInvoice => {
  const firstFailedAt = parts.firstFailedAt ?? NOON;
  return {
    id: 'in_7',
    firstFailedAt,
    failedRetries: 2,
    nextRetryAt: plus(firstFailedAt, 2 * DAY),
    retriesExhaustedAt: null,
    deadline: plus(firstFailedAt, 11 * DAY),
    confirmedOpenAt: null,
    ...parts,
  };
};

/** The account after key `older` was rotated to `successor`. */
export const rotated = (start: Account, at: Moment, older: string, successor: string): Account =>
  accepted(rotateKey(start, keyId(older), freshKey(successor), auditContext(at))).next;

export const keyNamed = (from: Account, name: string): ApiKey => accepted(keyOf(from, keyId(name)));

/** The effective state of a key, with the suspension causes of its subscription (D20). */
export const countedState = (from: Account, name: string): KeyState =>
  derivedState(keyNamed(from, name).state, from.subscription.suspension);

/** Whether a request with a key is admitted by the effective state of the key. */
export const admits = (from: Account, name: string, at: Moment): boolean =>
  'admitted' in admittedByKey(countedState(from, name), at);

/** A Free account with `k1` and its successor `s1`, issued at noon. */
export const overlapping = (): Account =>
  rotated(issued(account({ plan: 'free' }), NOON, 'k1'), NOON, 'k1', 's1');

/** The account after a check which found that these successors were first used at `at`. */
export const used = (from: Account, at: Moment, ...names: readonly string[]): Account =>
  withFirstUses(from, new Map(names.map((name) => [keyId(name), at])), at);

/** The same account, after `s1` was first used at noon. */
export const usedOverlap = (): Account => used(overlapping(), NOON, 's1');

type Market = PublicationInput['related_markets'][number];

export const subMarket = (sub_market_id: string, scored_at?: string): Market['sub_markets'][number] => ({
  sub_market_id,
  sub_market_title: `Will ${sub_market_id} happen?`,
  market_url: `https://markets.example/${sub_market_id}`,
  outcomes: { yes: { token_id: '1' }, no: { token_id: null } },
  news_effect: {
    affected_outcome: 'YES',
    effect: 'supports',
    relevance_bucket: 'high',
    rationale: 'It brings it closer.',
  },
  market_snapshot: {
    yes_ask: 0.61,
    no_ask: 0.4,
    volume_24h: 1_200.5,
    total_volume: 90_000,
    yes_ask_source: 'ask',
    no_ask_source: 'ask',
    yes_tick_age_seconds: 3,
    no_tick_age_seconds: 4,
    note: 'For reference only.',
  },
  momentum: { passed: true, pre_move_pp: 2.5, criteria: 'at least 2 pp in an hour', config: 'v1' },
  ...(scored_at === undefined ? {} : { scored_at }),
});

export const market = (market_id: string, ...sub_markets: Market['sub_markets'][number][]): Market => ({
  main_market: {
    market_id,
    market_url: `https://markets.example/${market_id}`,
    market_title: `The market ${market_id}`,
    outcomes: null,
    news_effect: null,
    market_snapshot: null,
    thin_liquidity: null,
    momentum: null,
  },
  market_relationship: { bucket: 'high', summary: 'The event decides it.' },
  sub_markets,
});

export type PublicationParts = {
  readonly id?: string;
  readonly scored_at?: string;
  readonly source_published_at?: string;
  readonly endpoint_published_at?: string;
  readonly related_markets?: PublicationInput['related_markets'];
};

let lastMillis = 0;

/**
 * The publication with a time later than each one before: it gives the item a new place, also if its body is equal (D11). The service
 * gives times in microseconds, so the current millisecond can begin before an item that was published in it.
 */
export function timedNow(sent: PublicationInput): PublicationInput {
  lastMillis = Math.max(Date.now(), lastMillis) + 1;
  return { ...sent, scored_at: new Date(lastMillis).toISOString() };
}

/** What a publisher sends. By default it has one market with one sub-market. */
export const publication = (parts: PublicationParts = {}): PublicationInput => {
  const id = parts.id ?? 'ne_1';
  return {
    news_event: {
      id,
      headline: 'Talks resume',
      short_headline: 'Talks resume',
      source_news_url: `https://news.example/${id}`,
      source_name: 'The Wire',
      source_type: 'rss',
      source_tier: 't1',
      source_url: null,
      short_context: 'Short.',
      long_context: 'Long.',
      author: null,
      feed_categories: ['geopolitics'],
      source_published_at: parts.source_published_at ?? '2026-03-01T11:00:00Z',
      aggregate_event_relevance: { bucket: 'high' },
      ...(parts.endpoint_published_at === undefined
        ? {}
        : { endpoint_published_at: parts.endpoint_published_at }),
    },
    related_markets: parts.related_markets ?? [market('m1', subMarket('s1'))],
    ...(parts.scored_at === undefined ? {} : { scored_at: parts.scored_at }),
  };
};
