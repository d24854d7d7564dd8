import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { webhookSigner } from '../../../src/adapters/destinations/webhook-signature.js';
import type { WebhookSecret } from '../../../src/application/ports/destinations/webhook-signer.js';
import { fromEpochMillis } from '../../../src/domain/moment.js';
import { runs } from '../../support/objects/builders.js';

const [secret, former] = [webhookSigner.makeSecret(), webhookSigner.makeSecret()];
const at = fromEpochMillis(Date.now());
const BODY = '{"messages":[],"position":"AAAA"}';

const headersOf = (body: string | Uint8Array, secrets: readonly [WebhookSecret, ...WebhookSecret[]]) =>
  webhookSigner.headers({ id: 'dlv_1', at, body }, secrets);

describe('The signature of a webhook', () => {
  it('is verified by the library of Standard Webhooks, whatever the body is', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'grapheme' }), (body, text) => {
        const signed = JSON.stringify({ body, text });
        expect(new Webhook(secret).verify(signed, headersOf(signed, [secret]))).to.deep.equal({ body, text });
      }),
      runs(100),
    );
  });

  it('is the one that this library makes', () => {
    const signature = new Webhook(secret).sign('dlv_1', new Date(at), BODY);
    expect(headersOf(BODY, [secret])).to.deep.equal({
      'webhook-id': 'dlv_1',
      'webhook-timestamp': String(Math.floor(Date.parse(at) / 1_000)),
      'webhook-signature': signature,
    });
  });

  it('is the same for the bytes of a body and for its text', () => {
    const body = '{"title":"Ünïcode 🚀"}';
    expect(headersOf(Buffer.from(body), [secret])).to.deep.equal(headersOf(body, [secret]));
  });

  it('is verified with each of two secrets, and with no other one', () => {
    const headers = headersOf(BODY, [secret, former]);
    expect(headers['webhook-signature']).to.match(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const each of [secret, former]) new Webhook(each).verify(BODY, headers);
    expect(() => new Webhook(webhookSigner.makeSecret()).verify(BODY, headers)).to.throw('No matching');
  });

  it('is not valid for another body, id or time', () => {
    const headers = headersOf(BODY, [secret]);
    const seconds = String(Number(headers['webhook-timestamp']) - 1);
    const verify = (body: string, changed: Readonly<Record<string, string>>) => () =>
      new Webhook(secret).verify(body, { ...headers, ...changed });
    expect(verify(`${BODY} `, {})).to.throw('No matching');
    expect(verify(BODY, { 'webhook-id': 'dlv_2' })).to.throw('No matching');
    expect(verify(BODY, { 'webhook-timestamp': seconds })).to.throw('No matching');
  });
});

describe('The secret of a webhook', () => {
  it('has 32 random bytes as base64', () => {
    expect(secret).to.match(/^whsec_[\w+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32);
    expect(new Set(Array.from({ length: 100 }, webhookSigner.makeSecret)).size).to.equal(100);
  });
});
