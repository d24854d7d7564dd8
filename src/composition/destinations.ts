import { destinationLinks } from '../adapters/destinations/destination-links.js';
import { sealingOf } from '../adapters/destinations/sealing.js';
import { sendDelivery } from '../adapters/destinations/send-delivery.js';
import { webhookSigner } from '../adapters/destinations/webhook-signature.js';
import { destinationFilter } from '../adapters/http/feed/destination-filter.js';
import { DestinationBatches } from '../adapters/live/destination-batches.js';
import { HttpOutgoing } from '../adapters/outgoing/http-outgoing.js';
import { changeDestination, createDestination } from '../application/destinations/change-destination.js';
import { deliverAgain } from '../application/destinations/deliver-again.js';
import { DeliverOne } from '../application/destinations/deliver-one.js';
import { DeliverToDestinations } from '../application/destinations/deliver-to-destinations.js';
import { readDestinationFeed } from '../application/destinations/read-destination-feed.js';
import { sendTest } from '../application/destinations/send-test.js';
import { StepRecorder } from '../application/destinations/step-recorder.js';
import { DELIVERING } from '../application/held-jobs.js';
import { takeReplayPermit } from '../application/limits/take-replay-permit.js';
import type { Send } from '../application/ports/destinations/deliver.js';
import type { Outgoing } from '../application/ports/destinations/outgoing.js';
import type { DeliveryId, DestinationId } from '../domain/destinations/destination.js';
import { isRefusal } from '../domain/refusal.js';
import { type Made, overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { SignInParts } from './sign-in.js';

/** What destinations are made of. Without `SECRETS_KEY` nothing can be stored in Postgres: there are none (D68). */
export const destinationParts = (parts: SignInParts, { closing }: Hooks) => ({
  sealing: () =>
    sealingOf(parts.config.destinations.secretsKeys, { isStored: parts.config.databaseUrl !== undefined }),
  webhookSigner: () => webhookSigner,
  outgoing: (): Outgoing => {
    const outgoing = new HttpOutgoing({
      ...parts.config.destinations,
      lastWokeAt: () => parts.pauses.lastWokeAt(),
    });
    closing(async () => outgoing.close());
    return outgoing;
  },
  readDestinationFilter: () => (text: string) => {
    const filter = destinationFilter(text);
    return isRefusal(filter) ? null : filter;
  },
  newDestinationId: () => () => parts.ids.destination(),
  feedBatches: () => new DestinationBatches(parts.liveFeed),
});

type WithParts = SignInParts & Made<typeof destinationParts>;

/** How one delivery is sent. Null without a key for secrets. */
export const destinationSending = (parts: WithParts) => ({
  sendDelivery: (): Send | null => {
    const { sealing, publicAddress } = parts;
    if (sealing === null) return null;
    const links = destinationLinks({ sealing, publicUrl: () => publicAddress.url() });
    return sendDelivery(
      overlay(parts, {
        sealing,
        feedUrl: () => `${publicAddress.url()}/dashboard/feed`,
        unsubscribeUrl: links.unsubscribeUrl,
      }),
    );
  },
});

type WithSending = WithParts & Made<typeof destinationSending>;

/** What owners do with destinations, and the process that delivers. */
export const destinationUseCases = (parts: WithSending) => ({
  createDestination: () => createDestination(parts),
  changeDestination: () => changeDestination(parts),
  readDestinationFeed: () => readDestinationFeed(overlay(parts, { readFilter: parts.readDestinationFilter })),
});

type WithUseCases = WithSending & Made<typeof destinationUseCases>;

export const deliveries = (parts: WithUseCases) => ({
  sendTest: () =>
    parts.sendDelivery === null ? null : sendTest(overlay(parts, sendingParts(parts, parts.sendDelivery))),
  deliverAgain: () =>
    parts.sendDelivery === null
      ? null
      : deliverAgain(overlay(parts, sendingParts(parts, parts.sendDelivery))),
  /** Null if nothing can be delivered. */
  deliverToDestinations: () => {
    const { sendDelivery: send, heldJobs, metrics, log, config } = parts;
    if (send === null) return null;
    const holder = () => heldJobs.holder;
    const sending = overlay(parts, sendingParts(parts, send));
    const deliverOne = new DeliverOne(
      overlay(sending, {
        recorder: new StepRecorder(overlay(parts, { holder })),
        random: Math.random,
        note: metrics.destinations.note,
      }),
    );
    const deliver = new DeliverToDestinations(
      overlay(sending, {
        deliverOne,
        holder,
        term: () => heldJobs.term(DELIVERING),
        report: (err: unknown, destination: DestinationId | null) =>
          log.error({ err, destination }, 'a delivery failed'),
        workers: config.destinations.workers,
      }),
    );
    metrics.destinations.observe(() => deliver.figures);
    return deliver;
  },
});

const sendingParts = (parts: WithSending, send: Send) => ({
  send,
  newDeliveryId: (): DeliveryId => parts.ids.delivery(),
  readFilter: parts.readDestinationFilter,
  takeReplayPermit: takeReplayPermit(parts),
});

export type DestinationParts = WithUseCases & Made<typeof deliveries>;
