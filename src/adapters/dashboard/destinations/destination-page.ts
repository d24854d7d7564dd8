import type { ComponentChildren } from 'preact';
import type {
  ChangeDestination,
  CreateDestination,
} from '../../../application/destinations/change-destination.js';
import type { DeliverAgain } from '../../../application/destinations/deliver-again.js';
import type { SendTest } from '../../../application/destinations/send-test.js';
import type { CountAttempt } from '../../../application/limits/count-attempt.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { DestinationLinks } from '../../../application/ports/destinations/destination-links.js';
import type { Destinations } from '../../../application/ports/destinations/destinations.js';
import type { MailConfirmation } from '../../../application/ports/destinations/mail-digest.js';
import type { Sealing } from '../../../application/ports/destinations/sealing.js';
import type { WebhookSigner } from '../../../application/ports/destinations/webhook-signer.js';
import type { Secrets } from '../../../application/ports/secrets.js';
import type { Plans } from '../../../domain/billing/plan.js';
import type { Destination, DestinationId } from '../../../domain/destinations/destination.js';
import type { DestinationUrlRules } from '../../../domain/destinations/destination-url.js';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { DESTINATION_CHANGES } from '../../../domain/limits/attempt.js';
import type { Refusal } from '../../../domain/refusal.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { Context } from '../state.js';
import type { FormPage, HolderVisit, Page, Visits } from '../visit.js';

export const DESTINATIONS_PATH = '/dashboard/destinations';

export const destinationPath = (id: DestinationId): string => `${DESTINATIONS_PATH}/${id}`;

/** The form of a new destination, with this filter. */
export const newDestinationPath = (filter: URLSearchParams | Readonly<Record<string, string>>): string =>
  `${DESTINATIONS_PATH}?${new URLSearchParams({ filter: new URLSearchParams(filter).toString() })}#new`;

/** What needs a key for secrets (D68). */
export type DestinationSending = {
  readonly sealing: Sealing;
  readonly links: DestinationLinks;
  readonly sendTest: SendTest;
  readonly deliverAgain: DeliverAgain;
};

/** Dependencies of the pages about destinations. */
export type DestinationPageParts = {
  readonly visits: Visits<HolderVisit>;
  readonly destinations: Pick<Destinations, 'of' | 'find' | 'deliveries'>;
  readonly createDestination: CreateDestination;
  readonly changeDestination: ChangeDestination;
  /** Null without a key for secrets. */
  readonly sending: DestinationSending | null;
  readonly webhookSigner: Pick<WebhookSigner, 'makeSecret'>;
  readonly newDestinationId: () => DestinationId;
  readonly urlRules: DestinationUrlRules;
  /** The filter of a query string, or why it is none. */
  readonly checkFilter: (text: string) => StreamFilter | Refusal<'invalid_parameter'>;
  /** Null if no link can be sent to a mailbox. */
  readonly mailConfirmation: MailConfirmation | null;
  readonly countAttempt: CountAttempt;
  readonly plans: Plans;
  readonly keyFormat: KeyFormat;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** The destinations of an account, the oldest first. */
export async function destinationsOf(
  destinations: Pick<Destinations, 'of'>,
  account: Destination['account'],
): Promise<readonly Destination[]> {
  const stored = await destinations.of(account);
  return stored
    .map(({ destination }) => destination)
    .toSorted((one, other) =>
      one.createdAt < other.createdAt ? -1 : Number(one.createdAt > other.createdAt),
    );
}

/** Handles a request about one destination of the account. */
type DestinationHandler = (
  ctx: Context,
  visit: HolderVisit,
  destination: Destination,
) => Promise<void> | void;

/** The id in the address may be any text, so it is compared with those of the account. */
export const pageWithDestination =
  ({ destinations }: DestinationPageParts, show: DestinationHandler): Page<HolderVisit> =>
  async (ctx, visit) => {
    const all = await destinationsOf(destinations, visit.account.id);
    const found = all.find(({ id }) => id === ctx.params['id']);
    return found === undefined ? answerError(ctx, 'not found') : show(ctx, visit, found);
  };

export type DestinationFormHandler = (
  ctx: Context,
  visit: HolderVisit,
  destination: Destination,
  form: URLSearchParams,
) => Promise<void> | void;

export const formWithDestination =
  (parts: DestinationPageParts, take: DestinationFormHandler): FormPage<HolderVisit> =>
  (ctx, visit, form) =>
    pageWithDestination(parts, (_, __, destination) => take(ctx, visit, destination, form))(ctx, visit);

/** False, with an answer sent, after too many changes. */
export async function mayChangeDestination(
  ctx: Context,
  { account }: HolderVisit,
  { countAttempt }: Pick<DestinationPageParts, 'countAttempt'>,
): Promise<boolean> {
  const wait = await countAttempt(account.id, DESTINATION_CHANGES);
  if (wait !== null) await answerTooMany(ctx, wait);
  return wait === null;
}
