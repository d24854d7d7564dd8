import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Opened, SealedField, Sealing } from '../../application/ports/destinations/sealing.js';
import type { Sealed } from '../../domain/destinations/destination.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FINGERPRINT_BYTES = 8;
const VERSION = 'v1';

/** What one value of `SECRETS_KEY` gives. */
type Key = { readonly cipherKey: Buffer; readonly fingerprint: string };

/**
 * The sealing of this service. Without `SECRETS_KEY`, data that is lost with the process is sealed under a random key, and
 * for stored data there is none: null. Nobody could read it after the next start.
 */
export function sealingOf(
  secretsKeys: readonly string[],
  { isStored }: { readonly isStored: boolean },
): Sealing | null {
  const [first, ...others] = secretsKeys.map(bytesOf);
  if (first !== undefined) return aesSealing([first, ...others]);
  return isStored ? null : aesSealing([randomBytes(KEY_BYTES)]);
}

/** The settings have checked the form: 64 hexadecimal digits, or 43 or 44 characters of base64. */
const bytesOf = (key: string): Buffer => Buffer.from(key, key.length === 2 * KEY_BYTES ? 'hex' : 'base64');

/** AES-256-GCM with a random nonce. A sealed text is `v1.<fingerprint of the key>.<nonce, encrypted text and tag>`. */
function aesSealing(secrets: readonly [Buffer, ...Buffer[]]): Sealing {
  const keys = secrets.map(keyOf);
  const first = keyOf(secrets[0]);
  return {
    seal: (text, as) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first.cipherKey, nonce).setAAD(additionalData(as));
      const encrypted = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${VERSION}.${first.fingerprint}.${Buffer.concat(encrypted).toString('base64url')}` as Sealed;
    },
    open: (sealed, as) => {
      const [version, fingerprint, encrypted = ''] = sealed.split('.');
      const key = keys.find((each) => version === VERSION && each.fingerprint === fingerprint);
      return key === undefined ? { opened: false, why: 'unknown_key' } : decrypted(key, encrypted, as);
    },
    isCurrent: (sealed) => sealed.startsWith(`${VERSION}.${first.fingerprint}.`),
  };
}

/** `SECRETS_KEY` itself is no key of the cipher, so that its fingerprint tells nothing about that key. */
function keyOf(secret: Buffer): Key {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `oddswire ${purpose}`, bytes));
  return {
    cipherKey: derived('sealing', KEY_BYTES),
    fingerprint: derived('sealing fingerprint', FINGERPRINT_BYTES).toString('hex'),
  };
}

function decrypted(key: Key, encrypted: string, as: SealedField): Opened {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return { opened: false, why: 'damaged' };
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key.cipherKey, nonce, { authTagLength: TAG_BYTES })
    .setAAD(additionalData(as))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const start = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return { opened: true, text: Buffer.concat([start, decipher.final()]).toString('utf8') };
  } catch {
    // `final` throws only if the tag does not match.
    return { opened: false, why: 'damaged' };
  }
}

const additionalData = ({ destination, field }: SealedField): Buffer =>
  Buffer.from(JSON.stringify([VERSION, destination, field]));
