import type { Position } from './feed/position.js';
import type { SuspensionCause } from './keys/suspension.js';
import type { Moment } from './moment.js';

/**
 * The kinds of errors in a request. `adapters/http/answer/fault-kinds.ts` says who can get each: a kind without a row there does
 * not compile.
 */
export type FaultKind =
  | 'conflict'
  | 'empty'
  | 'in_replay'
  | 'invalid_as_of'
  | 'invalid_codes'
  | 'invalid_cursor'
  | 'invalid_date_time'
  | 'invalid_email'
  | 'invalid_encoding'
  | 'invalid_enum'
  | 'invalid_json'
  | 'invalid_label'
  | 'invalid_max_items'
  | 'invalid_max_length'
  | 'invalid_min_length'
  | 'invalid_moment'
  | 'invalid_network'
  | 'invalid_pattern'
  | 'invalid_position'
  | 'invalid_reason'
  | 'invalid_type'
  | 'invalid_uri'
  | 'invalid_words'
  | 'line_too_long'
  | 'missing'
  | 'not_allowed'
  | 'not_backfill'
  | 'not_with_as_of'
  | 'out_of_range'
  | 'repeated'
  | 'repeated_sub_market'
  | 'scored_at_in_future'
  | 'unknown'
  | 'unknown_field'
  | 'unknown_parameter';

/** One error in a request: the path or name of the parameter, the kind of error, and what is expected. */
export type Fault = { readonly parameter: string; readonly code: FaultKind; readonly message: string };

/**
 * The details of each refusal, by its code (D32). A refusal is returned; only faults are thrown.
 * `adapters/http/answer/problem.ts` maps each refusal to a problem document.
 */
type Details = {
  readonly key_missing: object;
  readonly key_unknown: object;
  readonly key_revoked: object;
  readonly key_suspended: { readonly causes: readonly SuspensionCause[] };
  readonly payment_required: object;
  readonly subscription_incomplete: object;
  readonly subscription_paused: object;
  readonly insufficient_scope: object;
  /** The client address that the service has seen. */
  readonly address_not_allowed: { readonly address: string };
  readonly rate_limited: { readonly violated: readonly string[]; readonly retryAfterSeconds: number };
  readonly invalid_parameter: { readonly faults: readonly Fault[] };
  readonly invalid_body: { readonly faults: readonly Fault[] };
  readonly not_found: { readonly what: string };
  readonly account_exists: object;
  readonly account_linked: object;
  readonly account_deleted: object;
  readonly subscription_running: object;
  readonly payments_not_configured: object;
  readonly allowance_exceeded: { readonly allowance: number };
  /** `nextAt`: when the next key can be issued; null if never. */
  readonly too_many_keys: { readonly limit: number; readonly nextAt: Moment | null };
  readonly too_many_destinations: { readonly limit: number };
  /** A destination whose test nobody has answered; a mailbox whose owner has not confirmed it. */
  readonly not_tested: object;
  readonly not_confirmed: object;
  readonly rotation_open: object;
  readonly no_replacement: object;
  readonly changed_meanwhile: object;
  /** `keptDays`: a replay may begin at most so many days back, and was to begin earlier. */
  /** `start`: the change at which the history begins. */
  readonly before_history: { readonly start: { readonly position: Position; readonly knownAt: Moment } };
  readonly position_expired: { readonly feedHead: Moment | null; readonly keptDays?: number };
  readonly too_many_reads: object;
  readonly too_many_streams: object;
  readonly stream_replaced: object;
};

export type RefusalCode = keyof Details;

export type Refusal<Code extends RefusalCode = RefusalCode> = {
  readonly [C in Code]: { readonly refused: C } & Details[C];
}[Code];

type CodesWithoutDetails = { [C in RefusalCode]: keyof Details[C] extends never ? C : never }[RefusalCode];

/** A refusal without details beyond its code. */
export const refuse = <Code extends CodesWithoutDetails>(refused: Code) => ({ refused }) as Refusal<Code>;

/** Reads the member, because `in` takes several times as long for objects of many shapes. */
export const isRefusal = (answer: object): answer is Refusal =>
  (answer as { readonly refused?: unknown }).refused !== undefined;
