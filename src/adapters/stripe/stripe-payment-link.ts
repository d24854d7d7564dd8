import type { CheckoutUrl } from '../../application/ports/billing/processor.js';

/** A Stripe Payment Link: a page at Stripe that opens a checkout session. `link` is its URL. */
export const stripePaymentLink =
  (link: string): CheckoutUrl =>
  (reference, email) => {
    const url = new URL(link);
    url.searchParams.set('client_reference_id', reference);
    url.searchParams.set('prefilled_email', email);
    return url.href;
  };
