import type { RequestListener } from 'node:http';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { DemoAccount } from '../adapters/dashboard/demo/demo-bar.js';
import type { ReportFault } from '../adapters/http/answer/faults.js';
import type { Pretend } from '../adapters/http/billing/post-demo-payment.js';
import type { ConnectionHashes } from '../adapters/http/keys/connection-hashes.js';
import type { Connections } from '../adapters/http/listener/connections.js';
import type { ParserErrors } from '../adapters/http/listener/parser-errors.js';
import type { PartState } from '../adapters/http/operations/health.js';
import type { Middleware, State } from '../adapters/http/state.js';
import type { Throttle } from '../adapters/resilience/throttle.js';
import type { Lifecycle } from '../adapters/system/lifecycle.js';
import type { Metrics } from '../adapters/system/metrics.js';
import type { PublicAddress } from '../adapters/system/public-address.js';
import type { Hold } from '../application/accounts/hold.js';
import type { OpenAccount } from '../application/accounts/open-account.js';
import type { RunDueWork } from '../application/accounts/run-due-work.js';
import type { SendNotices } from '../application/accounts/send-notices.js';
import type { WatchAccount } from '../application/accounts/watch-account.js';
import type { AdvanceClock } from '../application/advance-clock.js';
import type { LinkCheckout } from '../application/billing/link-checkout.js';
import type { LinkCustomer } from '../application/billing/link-customer.js';
import type { MakeCheckoutReference } from '../application/billing/make-checkout-reference.js';
import type { OpenPortal } from '../application/billing/open-portal.js';
import type { PaymentEvents } from '../application/billing/payment-events.js';
import type { ReconcilePayments } from '../application/billing/reconcile-payments.js';
import type { ReplayEvent } from '../application/billing/replay-event.js';
import type { PublishNews } from '../application/feed/publish-news.js';
import type { ReadFeed } from '../application/feed/read-feed.js';
import type { ReadFeedHead } from '../application/feed/read-feed-head.js';
import type { MakeKey } from '../application/keys/fresh-key.js';
import type { IssueKey } from '../application/keys/issue-key.js';
import type { RevokeKey } from '../application/keys/revoke-key.js';
import type { RotateKey } from '../application/keys/rotate-key.js';
import type { AdmitReader } from '../application/limits/admit-reader.js';
import type { AdmitRequest } from '../application/limits/admit-request.js';
import type { CountAttempt } from '../application/limits/count-attempt.js';
import type { DetectAbuse } from '../application/limits/detect-abuse.js';
import type { GuardAddress } from '../application/limits/guard-address.js';
import type { ReadLimits } from '../application/limits/read-limits.js';
import type { Accounts } from '../application/ports/accounts/accounts.js';
import type { Mailer, MailSignInLink } from '../application/ports/accounts/mailer.js';
import type { Outbox } from '../application/ports/accounts/outbox.js';
import type { PaymentInbox } from '../application/ports/billing/payment-inbox.js';
import type {
  BillingPortal,
  CheckoutUrl,
  IsSigned,
  Processor,
  ReadPaymentEvent,
} from '../application/ports/billing/processor.js';
import type { ReferenceSigner } from '../application/ports/billing/reference-signer.js';
import type { Clock, TestClock } from '../application/ports/clock.js';
import type { FeedStore } from '../application/ports/feed/feed-store.js';
import type { HashKey, Ids } from '../application/ports/ids.js';
import type { Gate } from '../application/ports/keys/gate.js';
import type { LastUsed } from '../application/ports/keys/last-used.js';
import type { Counters } from '../application/ports/limits/counters.js';
import type { Sightings } from '../application/ports/limits/sightings.js';
import type { UsageHistory } from '../application/ports/limits/usage-history.js';
import type { Secrets } from '../application/ports/secrets.js';
import type { Identities } from '../application/ports/sign-in/identities.js';
import type { IdentityProvider } from '../application/ports/sign-in/identity-provider.js';
import type { Sessions } from '../application/ports/sign-in/sessions.js';
import type { Tickets } from '../application/ports/sign-in/tickets.js';
import type { Signals } from '../application/ports/signals.js';
import type { Turns } from '../application/ports/turns.js';
import type { FindOrOpenAccount } from '../application/sign-in/find-or-open-account.js';
import type { FindSession } from '../application/sign-in/find-session.js';
import type { ForgetIdentities } from '../application/sign-in/forget-identities.js';
import type { SignInAsOperator } from '../application/sign-in/sign-in-as-operator.js';
import type { SignInByLink } from '../application/sign-in/sign-in-by-link.js';
import type { SignInByProvider } from '../application/sign-in/sign-in-by-provider.js';
import type { SignOutEverywhere } from '../application/sign-in/sign-out-everywhere.js';
import type { StartSession } from '../application/sign-in/start-session.js';
import type { BillingRules } from '../domain/billing/account-payments.js';
import type { KeyFormat } from '../domain/keys/key-value.js';
import type { Tokens } from '../domain/sign-in/internal-tokens.js';

/** The name of a part, and the type of what it gives. */
export type Token<T> = symbol & { readonly gives?: T };
const token = <T>(name: string) => Symbol(name) as Token<T>;

export type Wiring = {
  /** Says how a part is made; the last word counts, so a test or a demo replaces a part by saying it again. */
  readonly part: <T>(token: Token<T>, make: () => T) => void;
  readonly get: <T>(token: Token<T>) => T;
  /** Leaves something to be closed on shutdown, in reverse order of making. */
  readonly closing: (close: () => Promise<void>) => void;
  /** Leaves something to be done before the service listens, in the order given. It ends early when told to. */
  readonly starting: (start: (told: AbortSignal) => Promise<void>) => void;
  /** Adds a part to what `/readyz` tells. */
  readonly reporting: (report: () => PartState) => void;
};

// What the process itself brings.
export const LOG = token<Logger>('log');
export const METRICS = token<Metrics>('metrics');
/** What `/metrics` answers: where several processes serve one port, the figures of all. */
export const METRICS_TEXT = token<() => Promise<string>>('metrics text');
export const LIFECYCLE = token<Lifecycle>('lifecycle');
export const TOKENS = token<Tokens>('tokens');
export const PUBLIC_ADDRESS = token<PublicAddress>('public address');
/** How the parts are doing, for `/readyz`. */
export const PART_STATES = token<() => readonly PartState[]>('part states');

/** Of the public listener: what was not foreseen, with the id of the request that it happened to. */
export const REPORT_FAULT = token<ReportFault>('report fault');

// Ports, each with the adapter that the settings choose.
export const CLOCK = token<Clock>('clock');
export const TEST_CLOCK = token<TestClock | null>('test clock');
export const IDS = token<Ids>('ids');
export const HASH_KEY = token<HashKey>('hash key');
export const KEY_FORMAT = token<KeyFormat>('key format');
export const ACCOUNTS = token<Accounts>('accounts');
export const GATE = token<Gate>('gate');
export const COUNTERS = token<Counters>('counters');
export const FEED_STORE = token<FeedStore>('feed store');
export const SIGNALS = token<Signals>('signals');
export const PAYMENT_INBOX = token<PaymentInbox>('payment inbox');
export const OUTBOX = token<Outbox>('outbox');
/** None where the settings name none. */
export const IDENTITY_PROVIDERS = token<readonly IdentityProvider[]>('identity providers');
export const MAILER = token<Mailer>('mailer');
export const TURNS = token<Turns>('turns');
export const SIGHTINGS = token<Sightings>('sightings');
export const SECRETS = token<Secrets>('secrets');
export const TICKETS = token<Tickets>('tickets');
export const SESSIONS = token<Sessions>('sessions');
export const IDENTITIES = token<Identities>('identities');
/** Null where there is no mail server, and somebody else than who runs the service might be reading. */
export const MAIL_SIGN_IN_LINK = token<MailSignInLink | null>('mail sign-in link');
/** Null where the settings name no way to ask it. */
export const BILLING_PORTAL = token<BillingPortal | null>('billing portal');
/** Null without a payment link. */
export const CHECKOUT_URL = token<CheckoutUrl | null>('checkout url');
/** Null where the settings name no way to ask it. */
export const PROCESSOR = token<Processor | null>('processor');
export const READ_PAYMENT_EVENT = token<ReadPaymentEvent>('read payment event');
/** Null where no secret is set. */
export const IS_SIGNED = token<IsSigned | null>('is signed');
/** Null without a webhook secret. */
export const REFERENCE_SIGNER = token<ReferenceSigner | null>('reference signer');
export const LAST_USED = token<LastUsed>('last used');
export const USAGE_HISTORY = token<UsageHistory>('usage history');

// Use cases.
export const ADMIT_READER = token<AdmitReader>('admit reader');
export const ADMIT_REQUEST = token<AdmitRequest>('admit request');
export const ADVANCE_CLOCK = token<AdvanceClock>('advance clock');
export const BILLING_RULES = token<BillingRules>('billing rules');
export const COUNT_ATTEMPT = token<CountAttempt>('count attempt');
export const DETECT_ABUSE = token<DetectAbuse>('detect abuse');
export const FIND_OR_OPEN_ACCOUNT = token<FindOrOpenAccount>('find or open account');
export const FIND_SESSION = token<FindSession>('find session');
export const GUARD_ADDRESS = token<GuardAddress>('guard address');
export const FORGET_IDENTITIES = token<ForgetIdentities>('forget identities');
export const HOLD = token<Hold>('hold');
export const ISSUE_KEY = token<IssueKey>('issue key');
export const LINK_CHECKOUT = token<LinkCheckout>('link checkout');
export const LINK_CUSTOMER = token<LinkCustomer>('link customer');
export const MAKE_CHECKOUT_REFERENCE = token<MakeCheckoutReference>('make checkout reference');
export const MAKE_KEY = token<MakeKey>('make key');
export const OPEN_ACCOUNT = token<OpenAccount>('open account');
/** Null where there is no billing portal. */
export const OPEN_PORTAL = token<OpenPortal | null>('open portal');
export const PAYMENT_EVENTS = token<PaymentEvents>('payment events');
/** The pretend processor; null but in the demo. */
export const PRETEND = token<Pretend | null>('pretend processor');
export const PUBLISH_NEWS = token<PublishNews>('publish news');
export const READ_FEED = token<ReadFeed>('read feed');
export const READ_FEED_HEAD = token<ReadFeedHead>('read feed head');
export const READ_LIMITS = token<ReadLimits>('read limits');
export const RECONCILE_PAYMENTS = token<ReconcilePayments>('reconcile payments');
export const REPLAY_EVENT = token<ReplayEvent>('replay event');
export const REVOKE_KEY = token<RevokeKey>('revoke key');
export const ROTATE_KEY = token<RotateKey>('rotate key');
export const RUN_DUE_WORK = token<RunDueWork>('run due work');

export const SEND_NOTICES = token<SendNotices>('send notices');
export const SIGN_IN_AS_OPERATOR = token<SignInAsOperator>('sign in as operator');
/** Null where no link can be mailed. */
export const SIGN_IN_BY_LINK = token<SignInByLink | null>('sign in by link');
export const SIGN_IN_BY_PROVIDER = token<SignInByProvider>('sign in by provider');
export const SIGN_OUT_EVERYWHERE = token<SignOutEverywhere>('sign out everywhere');
export const START_SESSION = token<StartSession>('start session');
export const WATCH_ACCOUNT = token<WatchAccount>('watch account');

/** Of what pages ask the stores for: the API goes first. */
export const PAGE_THROTTLE = token<Throttle>('page throttle');

// Listeners.
/** Pages for people, on the public listener. */
export const DASHBOARD = token<Middleware>('dashboard');
/** Pages for operators, there too; null where the settings switch them off. */
export const OPERATOR_CONSOLE = token<Middleware | null>('operator console');
/** The accounts that visitors of the demo may be; none but there. */
export const DEMO_ACCOUNTS = token<() => readonly DemoAccount[]>('demo accounts');
/** What the public listener runs: the fast path to a page, and the rest. */
export const PUBLIC_HANDLER = token<RequestListener>('public handler');
/** The open connections of the public listener. */
export const CONNECTION_HASHES = token<ConnectionHashes>('connection hashes');
export const CONNECTIONS = token<Connections>('connections');
export const PUBLIC_API = token<Koa<State>>('public api');
export const PUBLIC_PARSER_ERRORS = token<ParserErrors>('public parser errors');
export const INTERNAL_API = token<Koa<State>>('internal api');
export const INTERNAL_PARSER_ERRORS = token<ParserErrors>('internal parser errors');
