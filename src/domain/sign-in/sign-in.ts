import type { EmailAddress } from '../accounts/email-address.js';
import { MINUTE, type Moment, plus } from '../moment.js';

declare const secretHash: unique symbol;

/** The one-way hash of a secret. Only a browser or a mail holds the secret; only the hash is stored. */
export type SecretHash = string & { readonly [secretHash]: true };

/** How long an emailed link is valid. It works once (D105). */
export const LINK_LIFETIME = 15 * MINUTE;
/** How long a sign-in at the identity provider may take. */
export const FLOW_LIFETIME = 10 * MINUTE;

/** An emailed link. The browser that requested the link (`askedBy`) needs no confirmation to sign in. */
export type LinkToken = {
  readonly kind: 'link';
  readonly email: EmailAddress;
  readonly askedBy: SecretHash;
  readonly expiresAt: Moment;
};

/** A sign-in at an identity provider that is not complete yet. */
export type FlowToken<Flow> = {
  readonly kind: 'flow';
  readonly provider: string;
  readonly audience: Audience;
  readonly flow: Flow;
  readonly expiresAt: Moment;
};

/** What a sign-in gives access to: the dashboard for an account holder, or the console for an operator. */
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
 * Whether a token is a link that was emailed to this address. The address is in the stored form (D42). Such links
 * become invalid when the account holder signs out everywhere.
 */
export const isLinkTo = (token: LinkToken | FlowToken<unknown>, email: string): boolean =>
  token.kind === 'link' && token.email === email;

export const isValid = ({ expiresAt }: { readonly expiresAt: Moment }, now: Moment): boolean =>
  now < expiresAt;
