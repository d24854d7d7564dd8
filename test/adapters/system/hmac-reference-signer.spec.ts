import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { hmacReferenceSigner } from '../../../src/adapters/system/hmac-reference-signer.js';
import { randomIds } from '../../../src/adapters/system/random-ids.js';
import { readCheckoutLink } from '../../../src/domain/billing/checkout-reference.js';
import { NOON } from '../../support/objects/builders.js';
import { aReference, signer } from '../../support/objects/checkout-references.js';

const CONTENT = 'ref_1772366400_acc_0123456789abcdef01234567';

describe('The signature of a checkout reference', () => {
  it('is the same on every instance with the same secret, and 43 characters of URL-safe base64', () => {
    const [one, other] = [hmacReferenceSigner(['whsec_a']), hmacReferenceSigner(['whsec_a'])];
    expect(one.sign(CONTENT))
      .to.equal(other.sign(CONTENT))
      .and.match(/^[A-Za-z0-9_-]{43}$/);
    expect(other.isSigned(CONTENT, one.sign(CONTENT))).to.equal(true);
  });

  it('uses the first of two secrets and is valid with either, so that secrets can be rotated', () => {
    const [before, during, after] = [
      hmacReferenceSigner(['whsec_old']),
      hmacReferenceSigner(['whsec_new', 'whsec_old']),
      hmacReferenceSigner(['whsec_new']),
    ];
    expect(during.isSigned(CONTENT, before.sign(CONTENT))).to.equal(true);
    expect(after.isSigned(CONTENT, during.sign(CONTENT))).to.equal(true);
    expect(after.isSigned(CONTENT, before.sign(CONTENT))).to.equal(false);
  });

  it('is invalid for other content, in another encoding, and as a plain HMAC with the secret', () => {
    const { sign, isSigned } = hmacReferenceSigner(['whsec_a']);
    const signature = sign(CONTENT);
    expect(isSigned(`${CONTENT}0`, signature)).to.equal(false);
    // Two bits of the last character are unused, so several texts decode to the same bytes.
    const last = signature.at(-1) ?? '';
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      expect(isSigned(CONTENT, signature.slice(0, -1) + other), other).to.equal(other === last);
    }
    for (const other of ['', 'é', signature.slice(1), `${signature}=`]) {
      expect(isSigned(CONTENT, other), other).to.equal(false);
    }
    const plain = createHmac('sha256', 'whsec_a').update(CONTENT).digest('base64url');
    expect(isSigned(CONTENT, plain)).to.equal(false);
  });

  it('is accepted in a reference for an account id of the service', () => {
    const id = randomIds.account();
    const link = readCheckoutLink(aReference(id), () => NOON, signer.isSigned);
    expect(link).to.deep.equal({ account: id, refusal: null });
    expect(readCheckoutLink(id, () => NOON, signer.isSigned)?.refusal).to.equal('account_id');
  });
});
