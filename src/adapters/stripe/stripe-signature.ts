import type { IsSigned } from '../../application/ports/billing/processor.js';
import { epochSeconds } from '../../domain/moment.js';
import { stripeLibrary } from './stripe-library.js';

/** The greatest difference between the time of a signature and our clock, in both directions (D29). */
const TOLERANCE_SECONDS = 300;
/** Disables the age check of the library, which uses the system clock and only detects signatures that are too old. */
const NO_AGE_CHECK = 0;

/**
 * The library decodes a payload before it computes the signature: invalid bytes become U+FFFD, and a byte order mark is
 * dropped. It therefore gets text, which these options decode exactly or not at all.
 */
const EXACT = { fatal: true, ignoreBOM: true } as const;

/** Stripe sends about 100 characters for each secret. The library would parse a longer header once per secret. */
const HEADER_MAX = 2_048;

/** Checks the Stripe signature of a delivery against each secret. There are two while the secret is replaced (D29). */
export function stripeSignature(secrets: readonly string[]): IsSigned {
  const { webhooks } = new (stripeLibrary())('unused');
  const isSignedWith = (secret: string, payload: string, header: string): boolean => {
    try {
      return webhooks.signature?.verifyHeader(payload, header, secret, NO_AGE_CHECK) === true;
    } catch {
      return false;
    }
  };
  return (payload, header, now) => {
    if (header.length > HEADER_MAX) return false;
    const signedAt = timeOf(header);
    if (signedAt === null || Math.abs(epochSeconds(now) - signedAt) > TOLERANCE_SECONDS) return false;
    const text = exactText(payload);
    return text !== null && secrets.some((secret) => isSignedWith(secret, text, header));
  };
}

/** Decodes a payload as UTF-8; null if it is not valid UTF-8. */
function exactText(payload: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', EXACT).decode(payload);
  } catch {
    return null;
  }
}

/**
 * The time in a header, in seconds since 1970; null unless there is exactly one. If there are several, the library uses
 * the last one, and it ignores text after the digits. Then it would verify a different time from the one that is
 * checked here.
 */
function timeOf(header: string): number | null {
  const [time = '', ...others] = header.split(',').filter((piece) => piece.startsWith('t='));
  return others.length === 0 && /^t=[0-9]{1,12}$/.test(time) ? Number(time.slice(2)) : null;
}
