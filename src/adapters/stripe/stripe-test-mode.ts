import type { ReadPaymentEvent } from '../../application/ports/billing/processor.js';

/** The keys of Stripe's live mode: secret and restricted ones. */
const LIVE_KEY = /^[sr]k_live_/;
const REASON = 'an event of the test mode, and STRIPE_API_KEY is a live key, so nothing was changed';

export const isLiveKey = (apiKey: string | undefined): boolean =>
  apiKey !== undefined && LIVE_KEY.test(apiKey);

/** Marks events of Stripe's test mode as not to be used: payments are real here (D29). */
export const onlyLive =
  (read: ReadPaymentEvent): ReadPaymentEvent =>
  async (payload) => {
    const event = await read(payload);
    if (event.fault !== null) return event;
    const { livemode } = JSON.parse(payload.toString('utf8')) as { readonly livemode?: unknown };
    return livemode === false ? { ...event, notUsed: REASON } : event;
  };
