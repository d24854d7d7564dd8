import { expect } from 'chai';
import { readEmailAddress } from '../../../src/domain/accounts/email-address.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import {
  flowToken,
  isLinkTo,
  isValid,
  linkToken,
  type SecretHash,
} from '../../../src/domain/sign-in/sign-in.js';
import { NOON } from '../../support/objects/builders.js';

const ADA = readEmailAddress('ada@example.org') ?? expect.fail('no address');
const hash = 'hash of a secret' as SecretHash;

describe('A one-time token for a sign-in', () => {
  it('by a link is for one address, and has only a hash of the browser’s secret', () => {
    expect(linkToken(ADA, hash, NOON)).to.deep.equal({
      kind: 'link',
      email: ADA,
      askedBy: hash,
      expiresAt: plus(NOON, 15 * MINUTE),
    });
  });

  it('by a provider is for one provider, one audience and one flow', () => {
    expect(flowToken('oidc', 'operator', { state: 's' }, NOON)).to.deep.equal({
      kind: 'flow',
      provider: 'oidc',
      audience: 'operator',
      flow: { state: 's' },
      expiresAt: plus(NOON, 10 * MINUTE),
    });
  });

  // biome-ignore format: a table is read by its columns
  const lifetimes = [
    ['a link', linkToken(ADA, hash, NOON),               15],
    ['a flow', flowToken('oidc', 'dashboard', {}, NOON), 10],
  ] as const;
  for (const [name, token, minutes] of lifetimes) {
    it(`is valid for less than ${minutes} minutes as ${name}, to the microsecond`, () => {
      const end = plus(NOON, minutes * MINUTE);
      expect(isValid(token, NOON)).to.equal(true);
      expect(isValid(token, plus(end, -MICROSECOND))).to.equal(true);
      expect(isValid(token, end)).to.equal(false);
      expect(isValid(token, plus(end, MICROSECOND))).to.equal(false);
    });
  }

  it('is a link only to the address that it was mailed to; a flow is a link to no address', () => {
    const link = linkToken(ADA, hash, NOON);
    const addresses = [ADA, 'ada+news@example.org', 'da@example.org', ''];
    expect(addresses.map((email) => isLinkTo(link, email))).to.deep.equal([true, false, false, false]);
    expect(isLinkTo(flowToken('oidc', 'dashboard', { email: ADA }, NOON), ADA)).to.equal(false);
  });
});
