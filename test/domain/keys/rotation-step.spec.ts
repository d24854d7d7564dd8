import { expect } from 'chai';
import type { KeyState } from '../../../src/domain/keys/api-key.js';
import { rotationStep } from '../../../src/domain/keys/rotation-step.js';
import { moment } from '../../support/objects/builders.js';

const AT = moment('2026-03-01T12:00:00Z');
const ACTIVE: KeyState = { status: 'active' };
const REVOKED: KeyState = {
  status: 'revoked',
  cause: 'rotation',
  revokedAt: AT,
  worksUntil: AT,
  held: false,
};

describe('The step of a rotation that is to be done (contract section 5.4)', () => {
  it('is to create a key, to deploy it until it is used, and then to retire the older one', () => {
    expect(rotationStep(ACTIVE, null)).to.equal('create');
    expect(rotationStep(ACTIVE, { lastUsedAt: null })).to.equal('deploy');
    expect(rotationStep(ACTIVE, { lastUsedAt: AT })).to.equal('retire');
  });

  it('is none after the older key was retired', () => {
    for (const successor of [null, { lastUsedAt: null }, { lastUsedAt: AT }])
      expect(rotationStep(REVOKED, successor)).to.equal('done');
  });
});
