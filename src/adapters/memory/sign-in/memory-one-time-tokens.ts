import type { OneTimeToken, OneTimeTokens } from '../../../application/ports/sign-in/one-time-tokens.js';
import type { Moment } from '../../../domain/moment.js';
import { isLinkTo, type SecretHash } from '../../../domain/sign-in/sign-in.js';
import { oldest } from '../oldest.js';

/** One-time tokens of one process, for demos and tests. */
export class MemoryOneTimeTokens implements OneTimeTokens {
  readonly #oneTimeTokens = new Map<SecretHash, OneTimeToken>();

  async keep(hash: SecretHash, token: OneTimeToken): Promise<void> {
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

  /** Deletes tokens that expired until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const ends = [...this.#oneTimeTokens].map(([hash, { expiresAt }]) => [hash, expiresAt] as const);
    const expired = oldest(ends, until, count);
    for (const hash of expired) this.#oneTimeTokens.delete(hash);
    return expired.length;
  }

  async removeLinks(email: string): Promise<void> {
    for (const [hash, token] of this.#oneTimeTokens)
      if (isLinkTo(token, email)) this.#oneTimeTokens.delete(hash);
  }
}
