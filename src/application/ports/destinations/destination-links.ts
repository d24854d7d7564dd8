import type { DestinationId } from '../../../domain/destinations/destination.js';
import type { Moment } from '../../../domain/moment.js';

/** What the address of a page has of a link: the id of a destination, and a token. */
export type SentLink = { readonly destination: string; readonly token: string };

/** The mailbox that a link confirms. After `endsAt`, the link is not valid any more. */
export type Confirmation = {
  readonly id: DestinationId;
  readonly address: string;
  readonly endsAt: Moment;
};

/**
 * The links in emails of destinations, which work without a session.
 *
 * What every adapter guarantees:
 * - nobody can make a link, or use the link of one destination or purpose for another;
 * - a text that is no link of the purpose is read as null.
 */
export interface DestinationLinks {
  unsubscribeUrl(id: DestinationId): string;
  confirmUrl(confirmation: Confirmation): string;
  readUnsubscribe(sent: SentLink): DestinationId | null;
  readConfirm(sent: SentLink): Confirmation | null;
}
