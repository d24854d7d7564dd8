import type { SecretHash } from '../../domain/sign-in/sign-in.js';

/** Secrets for browsers and emails, and their hashes. The service stores only the hashes. */
export interface Secrets {
  /** 32 random bytes as URL-safe base64. */
  make(): string;
  hash(secret: string): SecretHash;
}
