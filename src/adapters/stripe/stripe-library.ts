import { createRequire } from 'node:module';
import type Stripe from 'stripe';

const require = createRequire(import.meta.url);

/** Stripe's own library, loaded when it is first needed: a service without payments does not carry its 20 MB. */
export const stripeLibrary = (): typeof Stripe => require('stripe') as typeof Stripe;
