import type { EmailAddress } from '../../../domain/accounts/email-address.js';

/** Who signed in at a provider, as far as the provider vouches for it. */
export type ProvenIdentity = {
  /** Which provider says so; with `subject` the name of a person that never changes. */
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider has verified that it is theirs, and where it is no address to us (`readEmailAddress`). */
  readonly email: EmailAddress | null;
  readonly groups: readonly string[];
};

/** What must be remembered between leaving for the provider and coming back from it; known to nobody else. */
export type SignInFlow = {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
};

/**
 * Where people can prove who they are: an OpenID provider, or one that speaks OAuth 2.0 and has an API.
 *
 * What each adapter keeps:
 * - `complete` believes nothing but what the provider itself answered to us, for the flow that `begin` started;
 * - an answer that does not belong to the flow, was used before, or says no, is null;
 * - an e-mail is only told if the provider has verified it;
 * - a provider that cannot be reached throws `Unavailable`.
 */
export interface IdentityProvider {
  /** In paths and settings: `oidc`, `github`. */
  readonly id: string;
  /** For people: `Google`. */
  readonly name: string;
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly flow: SignInFlow }>;
  /** `answeredUrl` is the callback URL with the query that the browser came back with. */
  complete(answeredUrl: string, flow: SignInFlow): Promise<ProvenIdentity | null>;
}
