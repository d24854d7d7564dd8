import type { AccountId } from '../accounts/account.js';
import type { EmailAddress } from '../accounts/email-address.js';
import type { Position } from '../feed/position.js';
import type { Label } from '../keys/label.js';
import type { Moment } from '../moment.js';
import type { SecretHash } from '../sign-in/sign-in.js';
import type { DestinationState } from './destination-state.js';

declare const destinationId: unique symbol;
export type DestinationId = string & { readonly [destinationId]: true };

declare const deliveryId: unique symbol;
/** The id of a batch. Every try of a batch has the same one: it is the `webhook-id` (D68). */
export type DeliveryId = string & { readonly [deliveryId]: true };

declare const sealed: unique symbol;
/** A text that only a holder of `SECRETS_KEY` can read: `v1.`, the fingerprint of the key, and the encrypted text (D68). */
export type Sealed = string & { readonly [sealed]: true };

/** The kinds of destinations (D67). All but `feed` are pushed; a feed is read by its users. */
export const DESTINATION_KINDS = ['webhook', 'slack', 'email', 'feed'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** The secrets that sign the requests of a webhook: the older one also, for 24 hours after a rotation (D68). */
export type SigningSecrets = {
  readonly current: Sealed;
  readonly older: { readonly secret: Sealed; readonly until: Moment } | null;
};

/** Where a destination delivers to. `shownUrl` is the host and the last 4 characters, which pages show. */
export type Target =
  | {
      readonly kind: 'webhook';
      readonly url: Sealed;
      readonly shownUrl: string;
      readonly secrets: SigningSecrets;
    }
  | { readonly kind: 'slack'; readonly url: Sealed; readonly shownUrl: string }
  /** `confirmedAt`: when the owner of the address opened the link; null before. The address of the account needs none. */
  | { readonly kind: 'email'; readonly address: EmailAddress; readonly confirmedAt: Moment | null }
  | { readonly kind: 'feed'; readonly tokenHash: SecretHash };

/** The target with other texts in place of the sealed ones. */
export function withSealedTexts(
  target: Target,
  replace: (text: Sealed, field: 'url' | 'secret') => Sealed,
): Target {
  switch (target.kind) {
    case 'webhook': {
      const { current, older } = target.secrets;
      const secrets = {
        current: replace(current, 'secret'),
        older: older === null ? null : { ...older, secret: replace(older.secret, 'secret') },
      };
      return { ...target, url: replace(target.url, 'url'), secrets };
    }
    case 'slack':
      return { ...target, url: replace(target.url, 'url') };
    case 'email':
    case 'feed':
      return target;
  }
}

/** Where an account wants to have the feed (D66). */
export type Destination = {
  readonly id: DestinationId;
  readonly account: AccountId;
  readonly label: Label;
  /** The filters as the query string of a stream (D57). Empty: everything. */
  readonly filter: string;
  readonly target: Target;
  readonly state: DestinationState;
  readonly createdAt: Moment;
  /** When a test was answered for the first time: only then is it delivered to (D71). */
  readonly testedAt: Moment | null;
};

/**
 * The changes of one delivery: those after `from`, up to `until`. The bounds and the id are stored before the first try, and
 * every further try has them (D68). A `reset` has no changes: it says that the feed returned to an older state (D69).
 */
export type Batch = {
  readonly id: DeliveryId;
  /** That of the destination when it was begun: another one could pass far more of the changes between the bounds. */
  readonly filter: string;
  readonly content: 'changes' | 'reset';
  readonly from: Position;
  readonly until: Position;
};

/**
 * How far a destination has got: its receiver has every change up to `position`. `batch` is under way: it was tried, or is
 * about to be. `generation` counts the returns to an older state that the receiver knows of.
 */
export type Progress = {
  readonly position: Position;
  readonly batch: Batch | null;
  readonly generation: number;
};

/** Whether the receiver must first learn of a return to an older state. */
export const isResetDue = ({ generation, batch }: Progress, current: number): boolean =>
  generation < current && batch?.content !== 'reset';

/** The progress with a batch that is about to be tried. */
export const begun = (progress: Progress, batch: Batch, generation: number): Progress => ({
  ...progress,
  batch,
  generation: batch.content === 'reset' ? generation : progress.generation,
});

/** The progress after the receiver has taken the batch. */
export const delivered = (progress: Progress): Progress => ({
  ...progress,
  position: progress.batch?.until ?? progress.position,
  batch: null,
});
