import { parsedUrl } from '../parsed-url.js';
import { isLoopbackHost } from '../plain-loopback.js';
import type { Refusal } from '../refusal.js';

declare const destinationUrl: unique symbol;

/** The URL of a destination in its normal form, without a fragment. It contains secrets: pages show `shownUrl` (D70). */
export type DestinationUrl = string & { readonly [destinationUrl]: true };

/** The kinds of destinations that have a URL. */
export type UrlKind = 'webhook' | 'slack';

export type DestinationUrlRules = {
  /** The ports that are accepted in addition to `PORTS`. */
  readonly ports: readonly number[];
  /**
   * Whether this machine may be the host, over http or https, at any port and for every kind: in the demo and in tests, whose
   * receivers run on the same machine.
   */
  readonly allowsLoopback: boolean;
};

export const DESTINATION_URL_LENGTH_MAX = 2_000;

/** The ports of HTTPS. A request to any other port could reach a service that is not made for strangers. */
export const PORTS: readonly number[] = [443, 8_443];

const SHOWN_END = 4;

/** Reads the URL that a customer gives for a destination. The addresses of its host are checked when it is used (D70). */
export function readDestinationUrl(
  text: string,
  kind: UrlKind,
  rules: DestinationUrlRules,
): DestinationUrl | Refusal<'invalid_body'> {
  const trimmed = text.trim();
  if (trimmed.length > DESTINATION_URL_LENGTH_MAX) return refused(TOO_LONG);
  const url = parsed(trimmed);
  if (url === null) return refused(`must be a URL like ${EXAMPLES[kind]}`);
  url.hash = '';
  // The normal form can be longer: other characters than ASCII are percent-encoded.
  if (url.href.length > DESTINATION_URL_LENGTH_MAX) return refused(TOO_LONG);
  const fault = urlFault(url, rules) ?? (isAllowedLoopback(url, rules) ? null : kindFault(url, kind));
  return fault === null ? (url.href as DestinationUrl) : refused(fault);
}

/** Why no request may be sent to a URL, whatever its kind is; null if one may be sent. */
export function urlFault(url: URL, rules: DestinationUrlRules): string | null {
  if (url.username !== '' || url.password !== '') return 'must not have a user name or a password';
  if (isAllowedLoopback(url, rules)) return null;
  if (url.protocol !== 'https:') return 'must start with https://';
  if (url.hostname.endsWith('.')) return 'must have a host without a dot at its end';
  const ports = [...new Set([...PORTS, ...rules.ports])];
  return ports.includes(Number(url.port || '443')) ? null : `must use one of the ports ${ports.join(', ')}`;
}

/** Whether the URL names this machine, and rules accept that. */
export const isAllowedLoopback = ({ protocol, hostname }: URL, rules: DestinationUrlRules): boolean =>
  rules.allowsLoopback && (protocol === 'http:' || protocol === 'https:') && isLoopbackHost(hostname);

/** The host, and the last characters of the URL, by which its owner recognises it: `hooks.slack.com …f3Qz`. */
export function shownUrl(url: DestinationUrl): string {
  const { host, pathname, search } = new URL(url);
  return `${host} …${`${pathname}${search}`.slice(-SHOWN_END)}`;
}

const TOO_LONG = `must have at most ${DESTINATION_URL_LENGTH_MAX} characters`;

/** Blanks are refused, because the parser removes line breaks and tabs without notice. */
const parsed = (text: string): URL | null => (/[\s\p{Cc}]/u.test(text) ? null : parsedUrl(text));

const EXAMPLES: Readonly<Record<UrlKind, string>> = {
  webhook: 'https://example.com/webhook',
  slack: 'https://hooks.slack.com/services/… or https://discord.com/api/webhooks/…/slack',
};

/** Discord reads messages in the form of Slack at the URL of a webhook with `/slack` at its end. */
function kindFault({ hostname, pathname }: URL, kind: UrlKind): string | null {
  if (kind === 'webhook' || hostname === 'hooks.slack.com') return null;
  if (hostname !== 'discord.com') return 'must have the host hooks.slack.com or discord.com';
  return pathname.endsWith('/slack') ? null : 'must have a path that ends in /slack on the host discord.com';
}

const refused = (message: string): Refusal<'invalid_body'> => ({
  refused: 'invalid_body',
  faults: [{ parameter: '/url', code: 'invalid_uri', message }],
});
