import type { Moment } from '../../../domain/moment.js';

declare const webhookSecret: unique symbol;

/** The secret of a webhook: `whsec_` and 32 random bytes as base64. */
export type WebhookSecret = string & { readonly [webhookSecret]: true };

/** `id`: the same for each repeat of a delivery. `at`: the time of this try. */
export type SignedDelivery = {
  readonly id: string;
  readonly at: Moment;
  readonly body: string | Uint8Array;
};

/** Signs webhooks as Standard Webhooks 1.0 says. */
export interface WebhookSigner {
  makeSecret(): WebhookSecret;
  /** The headers of a delivery, with a signature for each secret. There are two secrets after a rotation. */
  headers(delivery: SignedDelivery, secrets: readonly [WebhookSecret, ...WebhookSecret[]]): WebhookHeaders;
}

export type WebhookHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;
