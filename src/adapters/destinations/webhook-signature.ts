import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookSecret, WebhookSigner } from '../../application/ports/destinations/webhook-signer.js';
import { epochSeconds } from '../../domain/moment.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const webhookSigner: WebhookSigner = {
  makeSecret: () => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}` as WebhookSecret,
  headers: ({ id, at, body }, secrets) => {
    const seconds = String(epochSeconds(at));
    const signature = (secret: WebhookSecret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.`).update(body).digest('base64')}`;
    return {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': secrets.map(signature).join(' '),
    };
  },
};

const keyOf = (secret: WebhookSecret): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
