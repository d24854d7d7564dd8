import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { ReferenceSigner } from '../../application/ports/billing/reference-signer.js';

const KEY_BYTES = 32;

/**
 * Makes the derived key different from the webhook secret, so that the signature of a reference is not valid for a
 * webhook.
 */
const PURPOSE = 'oddswire checkout reference';

/** Signs with the first secret and verifies with each. There are two while the secret is replaced. */
export function hmacReferenceSigner(secrets: readonly [string, ...string[]]): ReferenceSigner {
  const [current, ...former] = secrets;
  const currentKey = keyOf(current);
  const keys = [currentKey, ...former.map(keyOf)];
  return {
    sign: (content) => hmac(currentKey, content),
    // Compared as text, because the last base64 character has two unused bits, so that four texts decode to the same
    // bytes.
    isSigned: (content, signature) => keys.some((key) => isSame(hmac(key, content), signature)),
  };
}

const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES));

const hmac = (key: Buffer, content: string): string =>
  createHmac('sha256', key).update(content).digest('base64url');

function isSame(expected: string, sent: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
