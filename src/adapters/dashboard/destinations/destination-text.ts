import { whyNotDelivered } from '../../../domain/destinations/account-destinations.js';
import type { DeliveryEntry, DeliveryError } from '../../../domain/destinations/delivery.js';
import type { Destination, DestinationKind, Target } from '../../../domain/destinations/destination.js';
import type { DestinationStatus, DisabledCause } from '../../../domain/destinations/destination-state.js';
import type { BadgeKind } from '../page/state-text.js';

/** Every text about the kind, the state and the deliveries of a destination. The tables are complete by type. */
export const KIND_NAMES: Readonly<Record<DestinationKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack or Discord',
  email: 'Email',
  feed: 'Atom feed',
};

type Badge = { readonly kind: BadgeKind; readonly text: string };

// biome-ignore format: a table is read by its columns
const BADGES: Readonly<Record<DestinationStatus | 'not_tested' | 'not_confirmed', Badge>> = {
  active:        { kind: 'good',    text: 'Active' },
  failing:       { kind: 'warning', text: 'Failing' },
  paused:        { kind: 'off',     text: 'Paused' },
  disabled:      { kind: 'bad',     text: 'Disabled' },
  not_tested:    { kind: 'warning', text: 'Waiting for a test' },
  not_confirmed: { kind: 'warning', text: 'Waiting for confirmation' },
};

export function destinationBadge(destination: Destination): Badge {
  const { status } = destination.state;
  const missing = status === 'paused' ? whyNotDelivered(destination) : null;
  return BADGES[missing?.refused ?? status];
}

export const DISABLED_TEXT: Readonly<Record<DisabledCause, string>> = {
  gone: 'The receiver answered 410 Gone.',
  failed: 'All deliveries failed for 3 days.',
  operator: 'We disabled it. Contact us to have it enabled.',
  unsubscribed: 'The reader of the mailbox unsubscribed.',
};

const ERROR_TEXT: Readonly<Record<DeliveryError, string>> = {
  url_not_allowed: 'The scheme or the port of the URL is not allowed',
  address_not_allowed: 'The host has an address that is not public',
  not_resolved: 'The host was not found',
  unreachable: 'No route to the host',
  refused: 'The connection was refused',
  timed_out: 'No answer in time',
  tls: 'The certificate is not valid, or TLS failed',
  cut: 'The connection ended before an answer',
  not_http: 'The answer is not HTTP',
  own_fault: 'Our service could not send it',
  unreadable: 'Our service cannot decrypt the URL or the secret: contact us',
  not_sent: 'The mail server did not accept it',
};

/** How a delivery ended: the status of the answer, or why there was none. */
export function outcomeText(
  { kind }: Pick<Target, 'kind'>,
  { status, error }: Pick<DeliveryEntry, 'status' | 'error'>,
): string {
  if (status !== null) return kind === 'email' ? 'Accepted by the mail server' : `Answered ${status}`;
  return error === null ? 'No answer' : ERROR_TEXT[error];
}

export const DELIVERY_KINDS: Readonly<Record<DeliveryEntry['kind'], string>> = {
  changes: 'Changes',
  reset: 'Reset',
  test: 'Test',
  again: 'Delivered again',
};

/** Where it is delivered to, as far as that may be shown. */
export function targetText(target: Target): string {
  switch (target.kind) {
    case 'webhook':
    case 'slack':
      return target.shownUrl;
    case 'email':
      return target.address;
    case 'feed':
      return 'Address with a token, shown once';
  }
}

/** A filter as it is read: `category: politics · q: interest rate`. */
export const filterText = (filter: string): string =>
  filter === ''
    ? 'Everything'
    : [...new URLSearchParams(filter)].map(([name, value]) => `${name}: ${value}`).join(' · ');
