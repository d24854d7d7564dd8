import type { CustomerPage } from '../../application/ports/billing/processor.js';

/** The page of a customer in Stripe's dashboard. The test mode has customers of its own. */
export const stripeCustomerPage =
  (isLive: boolean): CustomerPage =>
  (customer) =>
    `https://dashboard.stripe.com/${isLive ? '' : 'test/'}customers/${encodeURIComponent(customer)}`;
