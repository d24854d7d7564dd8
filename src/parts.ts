import type Koa from 'koa';
import type { Logger } from 'pino';
import type { PartState } from './adapters/http/operations/health.js';
import type { Tokens } from './adapters/http/operations/tokens.js';
import type { ParserErrors } from './adapters/http/parser-errors.js';
import type { State } from './adapters/http/state.js';
import type { Lifecycle } from './adapters/system/lifecycle.js';
import type { Metrics } from './adapters/system/metrics.js';
import type { AdmitRequest } from './application/admit-request.js';
import type { AdvanceClock } from './application/advance-clock.js';
import type { MakeKey } from './application/fresh-key.js';
import type { GuardAddress } from './application/guard-address.js';
import type { Hold } from './application/hold.js';
import type { IssueKey } from './application/issue-key.js';
import type { OpenAccount } from './application/open-account.js';
import type { Accounts } from './application/ports/accounts.js';
import type { Clock, TestClock } from './application/ports/clock.js';
import type { Counters } from './application/ports/counters.js';
import type { FeedStore } from './application/ports/feed-store.js';
import type { Gate } from './application/ports/gate.js';
import type { HashKey, Ids } from './application/ports/ids.js';
import type { LastUsed } from './application/ports/last-used.js';
import type { Signals } from './application/ports/signals.js';
import type { PublishNews } from './application/publish-news.js';
import type { ReadFeed } from './application/read-feed.js';
import type { RevokeKey } from './application/revoke-key.js';
import type { RotateKey } from './application/rotate-key.js';
import type { RunDueWork } from './application/run-due-work.js';
import type { KeyFormat } from './domain/key-value.js';

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
export const LIFECYCLE = token<Lifecycle>('lifecycle');
export const TOKENS = token<Tokens>('tokens');
/** How the parts are doing, for `/readyz`. */
export const PART_STATES = token<() => readonly PartState[]>('part states');

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
export const LAST_USED = token<LastUsed>('last used');

// Use cases.
export const ADMIT_REQUEST = token<AdmitRequest>('admit request');
export const ADVANCE_CLOCK = token<AdvanceClock>('advance clock');
export const GUARD_ADDRESS = token<GuardAddress>('guard address');
export const HOLD = token<Hold>('hold');
export const ISSUE_KEY = token<IssueKey>('issue key');
export const MAKE_KEY = token<MakeKey>('make key');
export const OPEN_ACCOUNT = token<OpenAccount>('open account');
export const PUBLISH_NEWS = token<PublishNews>('publish news');
export const READ_FEED = token<ReadFeed>('read feed');
export const REVOKE_KEY = token<RevokeKey>('revoke key');
export const ROTATE_KEY = token<RotateKey>('rotate key');
export const RUN_DUE_WORK = token<RunDueWork>('run due work');

// Listeners.
export const PUBLIC_API = token<Koa<State>>('public api');
export const PUBLIC_PARSER_ERRORS = token<ParserErrors>('public parser errors');
export const INTERNAL_API = token<Koa<State>>('internal api');
export const INTERNAL_PARSER_ERRORS = token<ParserErrors>('internal parser errors');
