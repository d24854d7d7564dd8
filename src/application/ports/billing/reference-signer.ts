/**
 * Signs checkout references with a key of the service.
 *
 * What every adapter guarantees:
 * - a signature is 43 characters of URL-safe base64, and the same on every instance for the same content;
 * - while the secret is being replaced, signatures with the old and with the new one are both valid;
 * - the comparison takes constant time.
 */
export interface ReferenceSigner {
  sign(content: string): string;
  isSigned(content: string, signature: string): boolean;
}
