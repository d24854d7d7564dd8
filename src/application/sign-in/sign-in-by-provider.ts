import { ATTEMPTS_FROM_ADDRESS, type ClientGroups } from '../../domain/limits/attempt.js';
import type { Refusal } from '../../domain/refusal.js';
import type { SessionHolder } from '../../domain/sign-in/session.js';
import { type Audience, flowToken, isValid } from '../../domain/sign-in/sign-in.js';
import type { CountAttempt } from '../limits/count-attempt.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { Identities } from '../ports/sign-in/identities.js';
import type { IdentityProvider, ProvenIdentity } from '../ports/sign-in/identity-provider.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';
import { accountOfIdentity } from './account-of-person.js';
import type { FindOrOpenAccount } from './find-or-open-account.js';
import type { StartedSession, StartSession } from './start-session.js';

/** The URL to redirect the browser to, and a secret for a cookie, by which the callback recognises the browser. */
export type BegunFlow =
  | { readonly outcome: 'begun'; readonly url: string; readonly secret: string }
  | { readonly outcome: 'too many'; readonly retryAfterSeconds: number };

/** `failed`: the callback belongs to another flow, or the provider refused. */
export type ProviderAnswer =
  | StartedSession
  | Refusal<'rate_limited'>
  | 'failed'
  | 'email not verified'
  | 'not an operator';

/** The callback that the provider redirected the browser to. */
type Callback = { readonly provider: string; readonly audience: Audience; readonly query: string };

/** The secrets in the cookies of the browser: that of the flow, and that of its previous session. */
type BrowserSecrets = { readonly secret: string | null; readonly previous: string | null };

export type SignInByProviderParts = {
  readonly providers: readonly IdentityProvider[];
  readonly callbackUrlOf: (audience: Audience, provider: string) => string;
  /** Members of this group at the provider are operators. Undefined: nobody is an operator there. */
  readonly operatorGroup: string | undefined;
  readonly oneTimeTokens: OneTimeTokens;
  readonly identities: Identities;
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly countAttempt: CountAttempt;
  readonly findOrOpenAccount: FindOrOpenAccount;
  readonly startSession: StartSession;
  /** Called with the result of each callback, for metrics; `limited`: a new account may not be opened now. */
  readonly note?: (result: 'signed_in' | 'refused' | 'limited') => void;
};

/**
 * Sign-in through an identity provider. An identity joins an account only by an email address that the provider has
 * verified.
 */
export class SignInByProvider {
  readonly #parts: SignInByProviderParts;
  readonly #accountOf: ReturnType<typeof accountOfIdentity>;

  constructor(parts: SignInByProviderParts) {
    this.#parts = parts;
    this.#accountOf = accountOfIdentity(parts);
  }

  /** Null if there is no such provider. */
  async begin(id: string, audience: Audience, client: ClientGroups): Promise<BegunFlow | null> {
    const { oneTimeTokens, secrets, clock, countAttempt, callbackUrlOf } = this.#parts;
    const provider = this.#providerOf(id);
    if (provider === undefined) return null;
    const wait = await countAttempt(`${audience} ${client.address}`, ATTEMPTS_FROM_ADDRESS);
    if (wait !== null) return { outcome: 'too many', retryAfterSeconds: wait };
    const { url, flow } = await provider.begin(callbackUrlOf(audience, id));
    const secret = secrets.make();
    await oneTimeTokens.keep(secrets.hash(secret), flowToken(id, audience, flow, clock()));
    return { outcome: 'begun', url, secret };
  }

  /** Ends the session `previous` after a sign-in. Refuses `rate_limited` if a new account may not be opened now. */
  async complete(
    at: Callback,
    { secret, previous }: BrowserSecrets,
    client: ClientGroups,
  ): Promise<ProviderAnswer> {
    const answer = await this.#complete(at, { secret, previous }, client);
    if (typeof answer === 'string') this.#parts.note?.('refused');
    else this.#parts.note?.('refused' in answer ? 'limited' : 'signed_in');
    return answer;
  }

  async #complete(
    at: Callback,
    { secret, previous }: BrowserSecrets,
    client: ClientGroups,
  ): Promise<ProviderAnswer> {
    const proven = secret === null ? null : await this.#provenBy(at, secret);
    if (proven === null || !isStorableSubject(proven.subject)) return 'failed';
    const holder =
      at.audience === 'dashboard' ? await this.#ownerOf(proven, client) : this.#operatorOf(proven);
    if (typeof holder === 'string' || 'refused' in holder) return holder;
    return this.#started(holder, proven, previous);
  }

  #providerOf(id: string): IdentityProvider | undefined {
    return this.#parts.providers.find((provider) => provider.id === id);
  }

  /** The identity that the provider returns for the flow of this secret; null if the flow failed. */
  async #provenBy(
    { provider: id, audience, query }: Callback,
    secret: string,
  ): Promise<ProvenIdentity | null> {
    const { oneTimeTokens, secrets, clock, callbackUrlOf } = this.#parts;
    const provider = this.#providerOf(id);
    const token = await oneTimeTokens.take(secrets.hash(secret));
    if (provider === undefined || token?.kind !== 'flow' || !isValid(token, clock())) return null;
    if (token.provider !== id || token.audience !== audience) return null;
    return provider.complete(`${callbackUrlOf(audience, id)}?${query}`, token.flow);
  }

  async #ownerOf(
    proven: ProvenIdentity,
    client: ClientGroups,
  ): Promise<SessionHolder | Refusal<'rate_limited'> | 'email not verified'> {
    const account = await this.#accountOf(proven, client.subnet);
    if (account === null) return 'email not verified';
    return typeof account === 'string' ? { kind: 'account', account } : account;
  }

  #operatorOf({ groups, email, subject, issuer }: ProvenIdentity): SessionHolder | 'not an operator' {
    const { operatorGroup } = this.#parts;
    if (operatorGroup === undefined || !groups.includes(operatorGroup)) return 'not an operator';
    const name = email ?? `${subject} at ${issuer}`;
    return { kind: 'operator', name: `operator ${name}`, by: { group: operatorGroup } };
  }

  /**
   * `forgetIdentities` removes identities, then ends sessions. If it runs between the look-up of the identity and the
   * start of the session, the session is not ended there. Therefore this method looks the identity up again, and ends
   * the session if it is gone.
   */
  async #started(
    holder: SessionHolder,
    proven: ProvenIdentity,
    previous: string | null,
  ): Promise<StartedSession | 'failed'> {
    const { startSession, identities, sessions, secrets } = this.#parts;
    const session = await startSession(holder, previous);
    if (holder.kind === 'operator') return session;
    if ((await identities.accountOf(proven)) === holder.account) return session;
    await sessions.end(secrets.hash(session.secret));
    return 'failed';
  }
}

/** No provider uses control characters or lone surrogates in a subject, and not every store can store them. */
const isStorableSubject = (subject: string): boolean => subject !== '' && !/[\p{Cc}\p{Cs}]/u.test(subject);
