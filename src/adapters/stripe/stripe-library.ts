import { createRequire } from 'node:module';
import type Stripe from 'stripe';

const require = createRequire(import.meta.url);

/** The Stripe library, loaded at its first use: a service without payments saves its 20 MB. */
export const stripeLibrary = (): typeof Stripe => require('stripe') as typeof Stripe;
