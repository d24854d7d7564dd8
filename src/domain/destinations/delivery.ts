import type { Position } from '../feed/position.js';
import type { Duration, Moment } from '../moment.js';
import type { DeliveryId, DestinationId } from './destination.js';
import type { DestinationEvent } from './destination-state.js';

/** Why a request got no answer. */
export type NoAnswer =
  /** The URL breaks a rule of the settings, which may have changed since it was stored: its scheme or its port. */
  | 'url_not_allowed'
  /** The host has an address that is not public. Nothing was sent. */
  | 'address_not_allowed'
  /** The DNS has no address for the host. */
  | 'not_resolved'
  /** There is no route to the address. */
  | 'unreachable'
  | 'refused'
  | 'timed_out'
  /** The certificate is not valid for the host, or its issuer is not trusted, or the handshake failed. */
  | 'tls'
  /** The connection ended before the header of the answer was complete. */
  | 'cut'
  /** The answer is not HTTP, or its header is too large. */
  | 'not_http'
  /** This process was paused, or had no file or memory left. It says nothing about the receiver. */
  | 'own_fault';

/** Why nothing was delivered. `unreadable`: no key of `SECRETS_KEY` opens its URL or secret. `not_sent`: by the mail server. */
export type DeliveryError = NoAnswer | 'unreadable' | 'not_sent';

/** The outcome of one try. A mail that the server accepted counts as status 250. */
export type Attempt = {
  readonly status: number | null;
  readonly error: DeliveryError | null;
  /** How long the receiver asked to wait. */
  readonly retryAfter: Duration | null;
  readonly durationMs: number;
};

/** A try as it is listed: without what was sent (D71). */
export type DeliveryEntry = Pick<Attempt, 'status' | 'error' | 'durationMs'> & {
  readonly destination: DestinationId;
  readonly id: DeliveryId;
  readonly at: Moment;
  readonly messages: number;
  readonly kind: 'changes' | 'reset' | 'test' | 'again';
  /** The changes between which it was read; null for a test. */
  readonly bounds: { readonly from: Position; readonly until: Position } | null;
};

/** The most deliveries that are shown of a destination. */
export const DELIVERIES_SHOWN = 100;

/** A request that takes longer gives its worker back: after a wave of receivers that hang, others wait a fifth of a second for each. */
export const QUICK_MS = 200;

/** A destination whose last try took longer shares workers with those that fail (D69). */
const SLOW_MS = 1_000;

const GONE = 410;

export const isDelivery = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/** What the outcome of a try means for its destination; null if it says nothing about the receiver. */
export function eventOf(attempt: Attempt, jitter: number): DestinationEvent | null {
  if (attempt.error === 'own_fault') return null;
  if (isDelivery(attempt)) return { event: 'delivered' };
  if (attempt.status === GONE) return { event: 'gone' };
  return { event: 'failed', retryAfter: attempt.retryAfter, jitter };
}

/** Whether a destination takes a worker of those for slow and failing ones. */
export const isSlow = ({ status, durationMs }: Pick<Attempt, 'status' | 'durationMs'>): boolean =>
  !isDelivery({ status }) || durationMs > SLOW_MS;

/** The share of the workers that slow and failing destinations may take together, at least one. */
export const slowWorkers = (workers: number): number => Math.max(1, Math.floor(workers / 4));
