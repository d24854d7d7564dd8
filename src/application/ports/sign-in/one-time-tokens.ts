import type { FlowToken, LinkToken, SecretHash } from '../../../domain/sign-in/sign-in.js';
import type { SignInFlow } from './identity-provider.js';

export type OneTimeToken = LinkToken | FlowToken<SignInFlow>;

/**
 * One-time tokens, each stored under the hash of a secret that only its holder has.
 *
 * What every adapter guarantees:
 * - if several callers take a token at the same time, exactly one gets it, and after that nobody finds it;
 * - a token is found until it is taken, or deleted after it expired (`ExpiredRows`);
 * - `removeLinks` removes the links to one address (`isLinkTo`) and no others; after that nobody finds or takes them;
 * - it never checks whether a token is still valid: callers do (`domain/sign-in/sign-in.ts`);
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface OneTimeTokens {
  keep(hash: SecretHash, token: OneTimeToken): Promise<void>;
  find(hash: SecretHash): Promise<OneTimeToken | null>;
  take(hash: SecretHash): Promise<OneTimeToken | null>;
  removeLinks(email: string): Promise<void>;
}
