import { expect } from 'chai';
import {
  issuerName,
  joinIdentity,
  removeIdentities,
} from '../../../src/domain/sign-in/account-identities.js';
import { account, auditContext, NOON } from '../../support/objects/builders.js';

describe('Identities of an account', () => {
  it('are recorded when they join, by where they are from, and change nothing else', () => {
    const before = account();
    expect(joinIdentity(before, 'https://github.com', { actor: 'customer', at: NOON })).to.deep.equal({
      next: before,
      entries: [{ event: 'identity_joined', actor: 'customer', reason: 'github.com', at: NOON, key: null }],
    });
  });

  it('are recorded when they are removed: by whom, and why', () => {
    const before = account();
    expect(removeIdentities(before, auditContext(NOON, 'operator', 'lost a phone'))).to.deep.equal({
      next: before,
      entries: [
        { event: 'identities_removed', actor: 'operator', reason: 'lost a phone', at: NOON, key: null },
      ],
    });
  });

  // biome-ignore format: a table is read by its columns
  const names = [
    ['https://accounts.google.com',        'accounts.google.com'],
    ['https://id.example/realms/one',      'id.example'],
    ['http://localhost:8080/realms/one',   'localhost:8080'],
    ['urn:example:issuer',                 'urn:example:issuer'],
    ['Acme',                               'Acme'],
  ] as const;
  for (const [issuer, name] of names) {
    it(`are from ${name}, where the issuer is ${issuer}`, () => {
      expect(issuerName(issuer)).to.equal(name);
    });
  }
});
