import { expect } from 'chai';
import { issuerName, recordJoin, recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import { account, auditContext, NOON } from '../../support/objects/builders.js';

describe('Identities of an account', () => {
  it('are recorded with the name of their provider when they join, and change nothing else', () => {
    const before = account();
    expect(recordJoin(before, 'https://github.com', { actor: 'customer', at: NOON })).to.deep.equal({
      next: before,
      entries: [{ event: 'identity_joined', actor: 'customer', reason: 'github.com', at: NOON, key: null }],
    });
  });

  it('are recorded with actor and reason when they are removed', () => {
    const before = account();
    expect(recordRemoval(before, auditContext(NOON, 'operator', 'lost a phone'))).to.deep.equal({
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
    it(`are recorded as ${name} for the issuer ${issuer}`, () => {
      expect(issuerName(issuer)).to.equal(name);
    });
  }
});
