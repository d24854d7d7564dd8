/**
 * Signs checkout references with a key of the service.
 *
 * What each adapter keeps:
 * - a signature is 43 characters of URL-safe base64, and the same on every instance for the same content;
 * - while the secret behind the key is being replaced, signatures by the old and by the new one are both valid;
 * - comparing takes the same time whatever was sent.
 */
export interface ReferenceSigner {
  sign(content: string): string;
  isSigned(content: string, signature: string): boolean;
}
