import type { NoAnswer } from '../../../domain/destinations/delivery.js';
import type { DestinationUrl } from '../../../domain/destinations/destination-url.js';
import type { Duration } from '../../../domain/moment.js';

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
