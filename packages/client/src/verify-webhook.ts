import type { StreamBatch } from './api.js';
import { invalidOptions, OddswireError } from './errors.js';
import { parsed } from './json.js';
import { isBatch } from './messages.js';

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookRequest = {
  /** `whsec_…`; during a rotation the new one and the old one. */
  readonly secret: string | readonly string[];
  /** As Node or `fetch` has them. */
  readonly headers: Pick<Headers, 'get'> | Fields;
  /** Not parsed. A request of Node is read up to 4 MB. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly now?: Date;
  /** The greatest age; default 300. */
  readonly toleranceSeconds?: number;
};

export type WebhookDelivery = Pick<StreamBatch, 'messages' | 'position'> & {
  /** The same in every repeat. */
  readonly id: string;
  /** The service was restored to an older state: walk, and replace your data by the result. */
  readonly reset: boolean;
};

const BODY_BYTES_MAX = 4_000_000;
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies signature and age of a delivery, and parses it. It rejects with `invalid_webhook`, and with `invalid_options` if
 * your secret is none.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookDelivery> {
  const { headers, now = new Date(), toleranceSeconds = 300 } = request;
  const secrets = [request.secret].flat();
  if (secrets.length === 0 || !secrets.every(isSecret))
    throw invalidOptions('`secret` must be the secret of the destination, whsec_…, or a list of them.');
  const header = (name: string) => headerOf(headers, `webhook-${name}`);
  const id = header('id');
  const timestamp = header('timestamp');
  const signatures = header('signature').split(' ');
  // It is not a number if the header is not one.
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds)) throw invalid('timestamp');
  const start = encoded(`${id}.${timestamp}.`);
  const content = await joined(start, request.body);
  const expected = await Promise.all(secrets.map((one) => signature(one, content)));
  if (!expected.some((own) => signatures.some((sent) => equals(own, sent)))) throw invalid('signature');
  const value = parsed(new TextDecoder().decode(content.subarray(start.length)));
  if (!isBatch(value)) throw invalid('body');
  const messages = value.messages.filter(({ type }) => type === 'item' || type === 'retraction');
  return { id, reset: 'reset' in value && value.reset === true, messages, position: value.position };
}

/** An environment variable that is not set must not verify anything. */
function isSecret(secret: unknown): boolean {
  try {
    return typeof secret === 'string' && keyBytes(secret).length > 0;
  } catch {
    return false;
  }
}

const keyBytes = (secret: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(secret.replace('whsec_', '')), (character) => character.charCodeAt(0));

const invalid = (name: string): OddswireError =>
  new OddswireError('invalid_webhook', `Its ${name} is not valid.`);

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  // Not `instanceof`: frameworks have classes of their own.
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Fields)[name];
  if (typeof value !== 'string') throw invalid(name);
  return value;
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The signed content. */
async function joined(start: Uint8Array, body: WebhookRequest['body']): Promise<Uint8Array<ArrayBuffer>> {
  const chunks = [start];
  let length = start.length;
  const whole = typeof body === 'string' ? encoded(body) : body;
  for await (const chunk of whole instanceof Uint8Array ? [whole] : whole) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw invalid('size');
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function signature(secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await crypto.subtle.importKey('raw', keyBytes(secret), ALGORITHM, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', key, content);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

/** In a time that does not depend on where they differ. */
function equals(own: string, sent: string): boolean {
  let difference = own.length ^ sent.length;
  for (let i = 0; i < own.length; i += 1) difference |= own.charCodeAt(i) ^ sent.charCodeAt(i);
  return difference === 0;
}
