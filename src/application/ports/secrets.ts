import type { SecretHash } from '../../domain/sign-in/sign-in.js';

/** Secrets for browsers and mails, and the hashes of them that the service stores. */
export interface Secrets {
  /** 32 random bytes as URL-safe base64. */
  make(): string;
  hash(secret: string): SecretHash;
}
