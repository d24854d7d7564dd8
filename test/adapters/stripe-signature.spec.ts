import { expect } from 'chai';
import { stripeSignature } from '../../src/adapters/stripe/stripe-signature.js';
import { plus, SECOND } from '../../src/domain/moment.js';
import { moment } from '../support/builders.js';
import { NOON_SECONDS, stripeSignatureHeader } from '../support/stripe-objects.js';

const NOW = moment('2026-03-01T12:00:00Z');
const body = Buffer.from('{"id":"evt_1","name":"Zoë"}');
const isSigned = stripeSignature(['whsec_new', 'whsec_old']);
const signed = (secret = 'whsec_new', seconds = NOON_SECONDS) => stripeSignatureHeader(body, secret, seconds);

/** D29. */
describe('A signature of Stripe', () => {
  it('is taken by either of two secrets, so that they can be changed', () => {
    expect(isSigned(body, signed('whsec_new'), NOW)).to.equal(true);
    expect(isSigned(body, signed('whsec_old'), NOW)).to.equal(true);
    expect(isSigned(body, signed('whsec_other'), NOW)).to.equal(false);
  });

  it('holds for the body that was signed, to the byte', () => {
    expect(isSigned(Buffer.concat([body, Buffer.from(' ')]), signed(), NOW)).to.equal(false);
    expect(isSigned(Buffer.from(''), signed(), NOW)).to.equal(false);
  });

  it('is good for 300 seconds by our clock, both ways, and not for one more', () => {
    for (const [seconds, good] of [
      [300, true],
      [-300, true],
      [301, false],
      [-301, false],
    ] as const) {
      expect(isSigned(body, signed('whsec_new', NOON_SECONDS + seconds), NOW), String(seconds)).to.equal(
        good,
      );
    }
    expect(isSigned(body, signed(), plus(NOW, 300 * SECOND))).to.equal(true);
    expect(isSigned(body, signed(), plus(NOW, 301 * SECOND))).to.equal(false);
  });

  it('is found among others, and not in what is none', () => {
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

  it('says its time once: a second one could be the old one', () => {
    const old = stripeSignatureHeader(body, 'whsec_new', NOON_SECONDS - 9_000);
    expect(isSigned(body, `t=${NOON_SECONDS},${old}`, NOW)).to.equal(false);
  });
});
