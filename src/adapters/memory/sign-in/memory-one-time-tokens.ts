import type { OneTimeToken, OneTimeTokens } from '../../../application/ports/sign-in/one-time-tokens.js';
import type { Moment } from '../../../domain/moment.js';
import { isLinkTo, isValid, type SecretHash } from '../../../domain/sign-in/sign-in.js';

/** One-time tokens of one process, for demos and tests. */
export class MemoryOneTimeTokens implements OneTimeTokens {
  readonly #oneTimeTokens = new Map<SecretHash, OneTimeToken>();

  async keep(hash: SecretHash, token: OneTimeToken, now: Moment): Promise<void> {
    for (const [other, { expiresAt }] of this.#oneTimeTokens) {
      if (!isValid({ expiresAt }, now)) this.#oneTimeTokens.delete(other);
    }
    this.#oneTimeTokens.set(hash, token);
  }

  async find(hash: SecretHash): Promise<OneTimeToken | null> {
    return this.#oneTimeTokens.get(hash) ?? null;
  }

  async take(hash: SecretHash): Promise<OneTimeToken | null> {
    const token = this.#oneTimeTokens.get(hash) ?? null;
    this.#oneTimeTokens.delete(hash);
    return token;
  }

  async removeLinks(email: string): Promise<void> {
    for (const [hash, token] of this.#oneTimeTokens)
      if (isLinkTo(token, email)) this.#oneTimeTokens.delete(hash);
  }
}
