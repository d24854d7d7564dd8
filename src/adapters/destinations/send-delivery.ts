import type { Delivery, Send } from '../../application/ports/destinations/deliver.js';
import type { MailDigest } from '../../application/ports/destinations/mail-digest.js';
import type { Outgoing, OutgoingRequest } from '../../application/ports/destinations/outgoing.js';
import type { Sealing } from '../../application/ports/destinations/sealing.js';
import type { WebhookSecret, WebhookSigner } from '../../application/ports/destinations/webhook-signer.js';
import { signingSecrets } from '../../domain/destinations/account-destinations.js';
import type { DeliveredMessage } from '../../domain/destinations/delivered-message.js';
import type { Attempt } from '../../domain/destinations/delivery.js';
import type { Destination, Sealed, Target } from '../../domain/destinations/destination.js';
import type { DestinationUrl } from '../../domain/destinations/destination-url.js';
import { type ChatApp, slackNote, slackText } from './slack-text.js';

type Parts = {
  readonly outgoing: Outgoing;
  readonly sealing: Sealing;
  readonly webhookSigner: WebhookSigner;
  /** Null without a mail server. */
  readonly mailDigest: MailDigest | null;
  /** The feed in the dashboard. */
  readonly feedUrl: () => string;
  readonly unsubscribeUrl: (destination: Destination['id']) => string;
};

type Sender<Kind extends Target['kind']> = (
  parts: Parts,
  destination: Destination,
  target: Extract<Target, { readonly kind: Kind }>,
  delivery: Delivery,
) => Promise<Attempt>;

const SENDERS: { readonly [Kind in Target['kind']]: Sender<Kind> } = {
  webhook: sendWebhook,
  slack: sendToChat,
  email: sendMail,
  feed: async () => NOTHING_TO_SEND,
};

/** Sends a delivery in the form of its destination (D67). */
export const sendDelivery = (parts: Parts): Send =>
  function sendDelivery(destination, delivery) {
    const { target } = destination;
    const send = SENDERS[target.kind] as Sender<Target['kind']>;
    return send(parts, destination, target, delivery);
  };

/** An empty repeat says nothing to people: it counts as delivered. */
const NOTHING_TO_SEND: Attempt = { status: 204, error: null, retryAfter: null, durationMs: 0 };
const UNREADABLE: Attempt = { status: null, error: 'unreadable', retryAfter: null, durationMs: 0 };

/** The body of a webhook: the messages of a batch (D58), or what says that there are none. */
function webhookBody({ content, messages, position }: Delivery): Buffer {
  const about = content === 'changes' ? '' : `"${content}":true,`;
  const parts = messages.flatMap((json, i) => (i === 0 ? [json] : [COMMA, json]));
  return Buffer.concat([
    Buffer.from(`{${about}"messages":[`),
    ...parts,
    Buffer.from(`],"position":"${position}"}`),
  ]);
}

const COMMA = Buffer.from(',');

async function sendWebhook(
  parts: Parts,
  { id }: Destination,
  target: Extract<Target, { readonly kind: 'webhook' }>,
  delivery: Delivery,
): Promise<Attempt> {
  const url = opened(parts, id, 'url', target.url);
  const [secret, ...older] = signingSecrets(target.secrets, delivery.at).map((sealed) =>
    opened(parts, id, 'secret', sealed),
  );
  if (url === null || secret == null || older.includes(null)) return UNREADABLE;
  const body = webhookBody(delivery);
  const secrets = [secret, ...older] as unknown as readonly [WebhookSecret, ...WebhookSecret[]];
  const signed = parts.webhookSigner.headers({ id: delivery.id, at: delivery.at, body }, secrets);
  return post(parts, { url: url as DestinationUrl, headers: { ...JSON_BODY, ...signed }, body });
}

const JSON_BODY = { 'content-type': 'application/json', 'user-agent': 'Oddswire' } as const;

async function sendToChat(
  parts: Parts,
  { id, label }: Destination,
  target: Extract<Target, { readonly kind: 'slack' }>,
  delivery: Delivery,
): Promise<Attempt> {
  const url = opened(parts, id, 'url', target.url);
  if (url === null) return UNREADABLE;
  const app: ChatApp = new URL(url).hostname === 'discord.com' ? 'discord' : 'slack';
  const body =
    delivery.content === 'changes'
      ? slackText(messagesOf(delivery), { app, feedUrl: parts.feedUrl() })
      : slackNote(NOTES[delivery.content](label), app);
  return body === null
    ? NOTHING_TO_SEND
    : post(parts, { url: url as DestinationUrl, headers: JSON_BODY, body });
}

const NOTES: Readonly<Record<'reset' | 'test', (label: string) => string>> = {
  test: (label) => `Oddswire: this is a test of the destination “${label}”.`,
  reset: () =>
    'Oddswire: the feed returned to an earlier state. Items that were sent since may be missing or differ: read the feed.',
};

/** A mail that may have been sent is not sent again: nobody wants it twice. A mail server that cannot be reached is asked again. */
async function sendMail(
  { mailDigest, feedUrl, unsubscribeUrl }: Parts,
  { id }: Destination,
  { address }: Extract<Target, { readonly kind: 'email' }>,
  delivery: Delivery,
): Promise<Attempt> {
  if (delivery.messages.length === 0) return NOTHING_TO_SEND;
  if (mailDigest === null) return { ...UNREADABLE, error: 'not_sent' };
  const startedAt = performance.now();
  const digest = { messages: messagesOf(delivery), feedUrl: feedUrl(), unsubscribeUrl: unsubscribeUrl(id) };
  const outcome = await mailDigest(address, digest);
  const durationMs = Math.round(performance.now() - startedAt);
  const isSent = outcome === 'sent' || outcome === 'in doubt';
  return { status: isSent ? 250 : null, error: isSent ? null : 'not_sent', retryAfter: null, durationMs };
}

const messagesOf = ({ messages }: Delivery): readonly DeliveredMessage[] =>
  messages.map((json) => JSON.parse(json.toString('utf8')) as DeliveredMessage);

/** Null if no key opens it. */
function opened(
  { sealing }: Parts,
  destination: Destination['id'],
  field: 'url' | 'secret',
  sealed: Sealed,
): string | null {
  const found = sealing.open(sealed, { destination, field });
  return found.opened ? found.text : null;
}

async function post({ outgoing }: Parts, request: OutgoingRequest): Promise<Attempt> {
  const outcome = await outgoing.post(request);
  return outcome.answered
    ? { status: outcome.status, error: null, retryAfter: outcome.retryAfter, durationMs: outcome.ms }
    : { status: null, error: outcome.why, retryAfter: null, durationMs: outcome.ms };
}
