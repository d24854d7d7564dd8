import type { DestinationUrl } from '../../../domain/destinations/destination-url.js';
import type { Duration } from '../../../domain/moment.js';

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

export type OutgoingRequest = {
  readonly url: DestinationUrl;
  /** Without `Host`, `Connection` and `Content-Length`: these are derived. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

export type Answered = {
  readonly answered: true;
  readonly status: number;
  /** How long to wait according to `Retry-After`; null without a valid one. */
  readonly retryAfter: Duration | null;
};

export type NotAnswered = { readonly answered: false; readonly why: NoAnswer };

/** `ms`: the milliseconds until the header of the answer was complete, or until the request failed. */
export type OutgoingOutcome = (Answered | NotAnswered) & { readonly ms: number };

/**
 * Sends one request to an address that a customer chose: the only code that opens connections to such addresses (D70).
 *
 * What every adapter guarantees:
 * - a connection is opened only to an address that was checked: a public one, or one of a network that the operator allows;
 * - a redirect is an answer like any other, and is not followed;
 * - of an answer, only the status and `Retry-After` are read;
 * - it ends within its deadline, whatever the receiver does, and throws for no behaviour of a receiver;
 * - a request may arrive twice, if the receiver closes a connection that is used again.
 */
export interface Outgoing {
  post(request: OutgoingRequest): Promise<OutgoingOutcome>;
}
