import { expect } from 'chai';
import fc from 'fast-check';
import { stripeSignature } from '../../../src/adapters/stripe/stripe-signature.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { moment, runs } from '../../support/objects/builders.js';
import { NOON_SECONDS, stripeSignatureHeader } from '../../support/objects/stripe-objects.js';

const NOW = moment('2026-03-01T12:00:00Z');
const body = Buffer.from('{"id":"evt_1","name":"Zoë"}');
const isSigned = stripeSignature(['whsec_new', 'whsec_old']);
const signed = (secret = 'whsec_new', seconds = NOON_SECONDS) => stripeSignatureHeader(body, secret, seconds);

/** D29. */
describe('A Stripe signature', () => {
  it('is accepted with either of two secrets, so that they can be rotated', () => {
    expect(isSigned(body, signed('whsec_new'), NOW)).to.equal(true);
    expect(isSigned(body, signed('whsec_old'), NOW)).to.equal(true);
    expect(isSigned(body, signed('whsec_other'), NOW)).to.equal(false);
  });

  it('is valid only for the exact bytes of the signed body', () => {
    expect(isSigned(Buffer.concat([body, Buffer.from(' ')]), signed(), NOW)).to.equal(false);
    expect(isSigned(Buffer.from(''), signed(), NOW)).to.equal(false);
  });

  it('is valid if its time differs from our clock by at most 300 seconds, in both directions', () => {
    for (const [seconds, isValid] of [
      [300, true],
      [-300, true],
      [301, false],
      [-301, false],
    ] as const) {
      expect(isSigned(body, signed('whsec_new', NOON_SECONDS + seconds), NOW), String(seconds)).to.equal(
        isValid,
      );
    }
    expect(isSigned(body, signed(), plus(NOW, 300 * SECOND))).to.equal(true);
    expect(isSigned(body, signed(), plus(NOW, 301 * SECOND))).to.equal(false);
  });

  it('is found among other signatures, and not in a malformed header', () => {
    const [time = '', mac = ''] = signed().split(',');
    expect(isSigned(body, `${time},v0=00,v1=00,${mac}`, NOW)).to.equal(true);
    const none = [
      '',
      'nonsense',
      time,
      mac,
      `${time},v0=${mac.slice(3)}`,
      `t=,${mac}`,
      `t=x,${mac}`,
      `t=-1,${mac}`,
    ];
    for (const header of none) expect(isSigned(body, header, NOW), header).to.equal(false);
  });

  it('has its time once, because a second one could be the old time', () => {
    const old = stripeSignatureHeader(body, 'whsec_new', NOON_SECONDS - 9_000);
    expect(isSigned(body, `t=${NOON_SECONDS},${old}`, NOW)).to.equal(false);
  });

  it('has only digits as its time, because the library would read an old time from a malformed second one', () => {
    const [time, mac] = stripeSignatureHeader(body, 'whsec_new', NOON_SECONDS - 9_000).split(',');
    for (const second of [
      `${time}x`,
      `${time}.5`,
      `${time}=`,
      `t= ${time?.slice(2)}`,
      `t=+${time?.slice(2)}`,
    ]) {
      expect(isSigned(body, `t=${NOON_SECONDS},${second},${mac}`, NOW), second).to.equal(false);
    }
  });

  describe('is computed over the bytes of the body', () => {
    const replaced = Buffer.from('{"id":"evt_1","name":"\u{fffd}"}');
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);

    it('so that a byte order mark before a signed body is refused', () => {
      expect(isSigned(Buffer.concat([mark, body]), signed(), NOW)).to.equal(false);
    });

    it('so that a body signed with its byte order mark is accepted', () => {
      const marked = Buffer.concat([mark, body]);
      const header = stripeSignatureHeader(marked, 'whsec_new', NOON_SECONDS);
      expect(isSigned(marked, header, NOW)).to.equal(true);
      expect(isSigned(body, header, NOW)).to.equal(false);
    });

    it('so that an invalid byte is refused if U+FFFD was signed', () => {
      const header = stripeSignatureHeader(replaced, 'whsec_new', NOON_SECONDS);
      expect(isSigned(replaced, header, NOW)).to.equal(true);
      const at = replaced.indexOf('\u{fffd}');
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]) {
        const invalid = Buffer.concat([
          replaced.subarray(0, at),
          Buffer.from(bytes),
          replaced.subarray(at + 3),
        ]);
        expect(isSigned(invalid, header, NOW), String(bytes)).to.equal(false);
      }
    });

    it('so that a body that is not UTF-8 is refused even if its own bytes were signed', () => {
      const invalid = Buffer.from([0x7b, 0xff, 0x7d]);
      const header = stripeSignatureHeader(invalid, 'whsec_new', NOON_SECONDS);
      expect(isSigned(invalid, header, NOW)).to.equal(false);
    });

    it('so that any other bytes are refused', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (one, other) => {
          const [sent, claimed] = [Buffer.from(one), Buffer.from(other)];
          const header = stripeSignatureHeader(claimed, 'whsec_new', NOON_SECONDS);
          if (!sent.equals(claimed)) expect(isSigned(sent, header, NOW)).to.equal(false);
        }),
        runs(300),
      );
    });
  });
});
