import type { IsSigned } from '../../application/ports/billing/processor.js';
import { epochSeconds } from '../../domain/moment.js';
import { stripeLibrary } from './stripe-library.js';

/** How far the time of a signature may be from ours, both ways, in seconds (D29). */
const TOLERANCE = 300;
/** The library's own look at the age goes by its own clock, and only one way: it is told not to. */
const NO_AGE = 0;

/**
 * The library decodes a payload before it computes the signature: invalid bytes become U+FFFD, and a byte order mark is
 * dropped. So it is given the text, which these two options make the exact text of the bytes.
 */
const EXACT = { fatal: true, ignoreBOM: true } as const;

/** Stripe sends some 100 characters for each secret. The library takes a longer header apart for each of ours. */
const HEADER_MAX = 2_048;

/** Holds a delivery to Stripe's signature by one of the secrets: there are two while they change (D29). */
export function stripeSignature(secrets: readonly string[]): IsSigned {
  const { webhooks } = new (stripeLibrary())('unused');
  const isBy = (secret: string, payload: string, header: string): boolean => {
    try {
      return webhooks.signature?.verifyHeader(payload, header, secret, NO_AGE) === true;
    } catch {
      return false;
    }
  };
  return (payload, header, now) => {
    if (header.length > HEADER_MAX) return false;
    const signedAt = timeOf(header);
    if (signedAt === null || Math.abs(epochSeconds(now) - signedAt) > TOLERANCE) return false;
    const text = exactText(payload);
    return text !== null && secrets.some((secret) => isBy(secret, text, header));
  };
}

/** The text whose UTF-8 a payload is; null where it is none. */
function exactText(payload: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', EXACT).decode(payload);
  } catch {
    return null;
  }
}

/**
 * The time that a header gives, in seconds since 1970; null where it does not give exactly one. The library takes the
 * last of several and ignores what follows the digits: then it would not check the time that was looked at here.
 */
function timeOf(header: string): number | null {
  const [time = '', ...others] = header.split(',').filter((piece) => piece.startsWith('t='));
  return others.length === 0 && /^t=[0-9]{1,12}$/.test(time) ? Number(time.slice(2)) : null;
}
