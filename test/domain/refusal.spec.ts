import { expect } from 'chai';
import fc from 'fast-check';
import { isRefusal, refuse } from '../../src/domain/refusal.js';
import { account, runs } from '../support/objects/builders.js';

describe('A refusal', () => {
  it('is recognised by its code, whatever its details', () => {
    const details = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(details, fc.string(), (more, code) => {
        expect(isRefusal({ ...more, refused: code })).to.equal(true);
      }),
      runs(50),
    );
  });

  it('is distinct from an account, a change, a list and an admission', () => {
    for (const answer of [account(), { next: account(), entries: [] }, [], { admitted: true }, {}]) {
      expect(isRefusal(answer)).to.equal(false);
    }
  });

  it('without details has only its code', () => {
    for (const code of ['key_missing', 'key_revoked', 'rotation_open', 'account_exists'] as const) {
      expect(refuse(code)).to.deep.equal({ refused: code });
      expect(isRefusal(refuse(code))).to.equal(true);
    }
  });
});
