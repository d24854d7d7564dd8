import type { EmailAddress } from '../../../domain/accounts/email-address.js';

/** A person who signed in at an identity provider, as the provider has verified. */
export type ProvenIdentity = {
  /** The provider. Together with `subject` it is the permanent identity of a person. */
  readonly issuer: string;
  readonly subject: string;
  /** Null if the provider has not verified the address, or if the address is not valid here (`readEmailAddress`). */
  readonly email: EmailAddress | null;
  readonly groups: readonly string[];
};

/** The secrets of a sign-in between the redirect to the provider and the callback. */
export type SignInFlow = {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
};

/**
 * An identity provider: OpenID, or OAuth 2.0 with an API for the profile.
 *
 * What every adapter guarantees:
 * - `complete` trusts only data that it fetched from the provider, for the flow that `begin` started;
 * - it returns null for a callback that belongs to another flow, was used before, or reports a refusal;
 * - it returns an email address only if the provider has verified it;
 * - a provider that cannot be reached throws `Unavailable`.
 */
export interface IdentityProvider {
  /** For paths and settings: `oidc`, `github`. */
  readonly id: string;
  /** For people: `Google`. */
  readonly name: string;
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly flow: SignInFlow }>;
  /** `answeredUrl` is the callback URL with the query that the provider added to it. */
  complete(answeredUrl: string, flow: SignInFlow): Promise<ProvenIdentity | null>;
}
