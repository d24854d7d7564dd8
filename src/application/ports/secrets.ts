import type { SecretHash } from '../../domain/sign-in/sign-in.js';

/** Secrets that browsers and mails hold, and the hashes that the service keeps of them. */
export interface Secrets {
  /** 32 random bytes as URL-safe base64. */
  make(): string;
  hash(secret: string): SecretHash;
}
