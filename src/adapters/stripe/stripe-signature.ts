import type { IsSigned } from '../../application/ports/processor.js';
import { epochSeconds } from '../../domain/moment.js';
import { stripeLibrary } from './stripe-library.js';

/** How far the time of a signature may be from ours, both ways, in seconds (D29). */
const TOLERANCE = 300;
/** The library's own look at the age goes by its own clock, and only one way: it is told not to. */
const NO_AGE = 0;

/** Holds a delivery to Stripe's signature by one of the secrets: there are two while they change (D29). */
export function stripeSignature(secrets: readonly string[]): IsSigned {
  const { webhooks } = new (stripeLibrary())('unused');
  const isBy = (secret: string, payload: Buffer, header: string): boolean => {
    try {
      return webhooks.signature?.verifyHeader(payload, header, secret, NO_AGE) === true;
    } catch {
      return false;
    }
  };
  return (payload, header, now) => {
    const times = [...header.matchAll(/(?:^|,)t=(\d{1,12})(?=,|$)/g)].map(([, seconds]) => Number(seconds));
    const [signedAt = Number.NaN] = times;
    const isNow = times.length === 1 && Math.abs(epochSeconds(now) - signedAt) <= TOLERANCE;
    return isNow && secrets.some((secret) => isBy(secret, payload, header));
  };
}
