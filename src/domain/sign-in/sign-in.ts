import type { EmailAddress } from '../accounts/email-address.js';
import { MINUTE, type Moment, plus } from '../moment.js';

declare const secretHash: unique symbol;

/** The one-way hash of a secret that only a browser or a mail holds: all that is stored of it. */
export type SecretHash = string & { readonly [secretHash]: true };

/** How long a link that was mailed signs in, once. */
export const LINK_LIFETIME = 15 * MINUTE;
/** How long somebody may stay at a provider before coming back. */
export const FLOW_LIFETIME = 10 * MINUTE;

/** A link that was mailed. Opened in the browser that asked for it, it needs no further word. */
export type LinkToken = {
  readonly kind: 'link';
  readonly email: EmailAddress;
  readonly askedBy: SecretHash;
  readonly expiresAt: Moment;
};

/** Where somebody is on the way to a provider and back. */
export type FlowToken<Flow> = {
  readonly kind: 'flow';
  readonly provider: string;
  readonly audience: Audience;
  readonly flow: Flow;
  readonly expiresAt: Moment;
};

/** Who signs in: an account holder to the dashboard, or an operator to the console. */
export type Audience = 'dashboard' | 'operator';

export const linkToken = (email: EmailAddress, askedBy: SecretHash, now: Moment): LinkToken => ({
  kind: 'link',
  email,
  askedBy,
  expiresAt: plus(now, LINK_LIFETIME),
});

export const flowToken = <Flow>(
  provider: string,
  audience: Audience,
  flow: Flow,
  now: Moment,
): FlowToken<Flow> => ({ kind: 'flow', provider, audience, flow, expiresAt: plus(now, FLOW_LIFETIME) });

/**
 * Whether a ticket is a link that was mailed to this address, in the form that accounts keep it in: such links end when
 * the holder of the account signs out everywhere.
 */
export const isLinkTo = (token: LinkToken | FlowToken<unknown>, email: string): boolean =>
  token.kind === 'link' && token.email === email;

export const isValid = ({ expiresAt }: { readonly expiresAt: Moment }, now: Moment): boolean =>
  now < expiresAt;
