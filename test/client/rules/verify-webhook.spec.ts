import { Readable } from 'node:stream';
import { OddswireError, verifyWebhook, type WebhookRequest } from '@oddswire/client';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { runs } from '../../support/objects/builders.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const NOW = new Date('2026-03-01T12:00:00.400Z');
const ID = 'msg_1';
const RETRACTION = { type: 'retraction', position: 'p', known_at: null, id: 'ne_1 é\u2028' } as const;
const BODY = JSON.stringify({ messages: [RETRACTION], position: 'p' });

type Sent = { readonly secret?: string; readonly at?: Date; readonly body?: string };

const signed = ({ secret = SECRET, at = NOW, body = BODY }: Sent = {}): string =>
  new Webhook(secret).sign(ID, at, body);
const headersOf = (signature = signed(), at = NOW) => ({
  'webhook-id': ID,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': signature,
});
const verify = (parts: Partial<WebhookRequest> = {}) =>
  verifyWebhook({ secret: SECRET, headers: headersOf(), body: BODY, now: NOW, ...parts });

/** The message of the refusal. */
const refusalOf = async (parts: Partial<WebhookRequest>): Promise<string> => {
  const fault = await verify(parts).then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error,
  );
  if (!(fault instanceof OddswireError)) throw fault;
  expect([fault.code, fault.status]).to.deep.equal(['invalid_webhook', null]);
  return fault.message.replace('invalid_webhook: ', '');
};

describe('The verification of a webhook', () => {
  it('returns id, changes and position of what the library of Standard Webhooks signed', async () => {
    const delivery = { id: ID, reset: false, messages: [RETRACTION], position: 'p' };
    expect(await verify()).to.deep.equal(delivery);
    expect(await verify({ body: Buffer.from(BODY) })).to.deep.equal(delivery);
    expect(await verify({ headers: new Headers(headersOf()) })).to.deep.equal(delivery);
    const bytes = Buffer.from(BODY);
    const chunks = [bytes.subarray(0, 73), bytes.subarray(73)];
    expect(await verify({ body: Readable.from(chunks) })).to.deep.equal(delivery);
  });

  it('accepts exactly what that library signs, for any secret and body', async () => {
    const secret = fc.uint8Array({ minLength: 24, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(secret, fc.string({ unit: 'grapheme' }), fc.boolean(), async (bytes, id, isForged) => {
        const own = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const body = JSON.stringify({ messages: [{ ...RETRACTION, id }], position: 'p' });
        const headers = headersOf(signed({ secret: own, body }));
        const sent = isForged ? body.replace('"p"', '"q"') : body;
        const result = await verify({ secret: own, headers, body: sent }).catch(() => null);
        expect(result?.messages).to.deep.equal(isForged ? undefined : [{ ...RETRACTION, id }]);
      }),
      runs(50),
    );
  });

  it('accepts any of several signatures and secrets, as during a rotation', async () => {
    const both = headersOf(`v1a,other v1,x ${signed({ secret: OTHER })} ${signed()}`);
    for (const secret of [SECRET, OTHER, [OTHER, SECRET]])
      expect((await verify({ headers: both, secret })).id).to.equal(ID);
    expect((await verify({ secret: [OTHER, SECRET] })).id).to.equal(ID);
    expect(await refusalOf({ secret: [OTHER] })).to.equal('Its signature is not valid.');
  });

  it('refuses a signature of another secret, body, id or time, and a part of one', async () => {
    const good = signed();
    const wrong: readonly Partial<WebhookRequest>[] = [
      { secret: OTHER },
      { body: `${BODY} ` },
      { headers: { ...headersOf(), 'webhook-id': 'msg_2' } },
      { headers: headersOf(good, new Date(NOW.getTime() + 1_000)) },
      ...[
        good.slice(0, -1),
        `${good}=`,
        good.replace('v1,', 'v2,'),
        good.slice(3),
        'v1,',
        '',
        good.toUpperCase(),
      ].map((signature) => ({ headers: headersOf(signature) })),
    ];
    for (const parts of wrong)
      expect(await refusalOf(parts), JSON.stringify(parts)).to.equal('Its signature is not valid.');
  });

  it('refuses a request without one of the headers', async () => {
    for (const name of Object.keys(headersOf())) {
      for (const value of [undefined, ['a', 'b']])
        expect(await refusalOf({ headers: { ...headersOf(), [name]: value } })).to.equal(
          `Its ${name} is not valid.`,
        );
      const headers = new Headers(headersOf());
      headers.delete(name);
      expect(await refusalOf({ headers })).to.equal(`Its ${name} is not valid.`);
    }
  });

  it('refuses a request that is more than 5 minutes old or ahead, or as the caller allows', async () => {
    const from = (seconds: number) => {
      const at = new Date(NOW.getTime() + 1_000 * seconds);
      return { headers: headersOf(signed({ at }), at) };
    };
    for (const seconds of [-299, 0, 300]) expect((await verify(from(seconds))).id).to.equal(ID);
    for (const seconds of [-300, 302])
      expect(await refusalOf(from(seconds))).to.equal('Its timestamp is not valid.');
    expect((await verify({ ...from(-3_000), toleranceSeconds: 3_600 })).id).to.equal(ID);
    for (const timestamp of ['', 'x', 'NaN', 'Infinity', '2026-03-01T12:00:00Z'])
      expect(await refusalOf({ headers: { ...headersOf(), 'webhook-timestamp': timestamp } })).to.equal(
        'Its timestamp is not valid.',
      );
  });

  it('uses the current time by default', async () => {
    const at = new Date();
    const headers = headersOf(signed({ at }), at);
    expect((await verifyWebhook({ secret: SECRET, headers, body: BODY })).id).to.equal(ID);
  });

  it('refuses a body that is signed but no delivery, and leaves out messages of a type that it does not know', async () => {
    for (const body of ['', '{', '[]', 'null', '{"messages":[{}],"position":"p"}', '{"messages":[]}'])
      expect(await refusalOf({ body, headers: headersOf(signed({ body })) })).to.equal(
        'Its body is not valid.',
      );
    const body = JSON.stringify({
      messages: [{ type: 'new', position: 'p' }, RETRACTION],
      position: 'p',
      more: 1,
    });
    const { messages } = await verify({ body, headers: headersOf(signed({ body })) });
    expect(messages).to.deep.equal([RETRACTION]);
  });

  it('says that the service was restored to an older state', async () => {
    const body = '{"reset":true,"messages":[],"position":"p"}';
    const headers = headersOf(signed({ body }));
    expect(await verify({ body, headers })).to.deep.equal({
      id: ID,
      reset: true,
      messages: [],
      position: 'p',
    });
  });

  it('stops reading a body of more than 4 MB', async () => {
    let chunks = 0;
    // Not endless: without the bound, the test would use all memory instead of failing.
    async function* large() {
      while (chunks < 8) {
        chunks += 1;
        yield Buffer.alloc(1_000_000);
      }
    }
    expect(await refusalOf({ body: large() })).to.equal('Its size is not valid.');
    expect(chunks).to.equal(4);
    expect(await refusalOf({ body: 'x'.repeat(4_000_001) })).to.equal('Its size is not valid.');
  });

  it('rejects with invalid_options if a secret is none, before it reads anything', async () => {
    for (const secret of ['', 'whsec_', 'whsec_*', 'whsec_A', [], [SECRET, ''], undefined as never]) {
      const error = await verify({ secret, headers: {} }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(OddswireError).with.property('code', 'invalid_options');
      expect(error).to.have.property('message').that.includes('`secret`');
    }
  });
});
