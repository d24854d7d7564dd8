import type { Moment } from '../../../domain/moment.js';
import type { FlowToken, LinkToken, SecretHash } from '../../../domain/sign-in/sign-in.js';
import type { SignInFlow } from './identity-provider.js';

export type OneTimeToken = LinkToken | FlowToken<SignInFlow>;

/**
 * Tickets that let somebody do one thing, once; each is found by the hash of a secret that only its holder has.
 *
 * What each adapter keeps:
 * - of n takers at once exactly one gets a ticket, and from then on nobody finds it;
 * - a ticket that was kept is found until it is taken, or has expired: then it may be gone;
 * - `removeLinks` removes the links to one address (`isLinkTo`) and nothing else; from then on nobody finds or takes them;
 * - it never judges whether a ticket is still valid: that is the rule's (`domain/sign-in/sign-in.ts`);
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface OneTimeTokens {
  keep(hash: SecretHash, token: OneTimeToken, now: Moment): Promise<void>;
  find(hash: SecretHash): Promise<OneTimeToken | null>;
  take(hash: SecretHash): Promise<OneTimeToken | null>;
  removeLinks(email: string): Promise<void>;
}
