import { expect } from 'chai';
import { FEED_SCOPE, SCOPES } from '../../../src/domain/keys/scope.js';
import { account, issued, keyNamed, NOON, rotated } from '../../support/objects/builders.js';

describe('The scopes of a key (D40)', () => {
  it('are copied to it when it is issued, independent of the catalogue', () => {
    const from = issued(account(), NOON, 'k1');
    expect(keyNamed(from, 'k1').scopes).to.deep.equal([...SCOPES]);
    expect(keyNamed(from, 'k1').scopes).to.not.equal(SCOPES);
    expect(keyNamed(rotated(from, NOON, 'k1', 'k2'), 'k2').scopes).to.deep.equal([...SCOPES]);
  });

  it('include the one that the news feed requires (D18)', () => {
    expect(FEED_SCOPE).to.equal('events.read');
    expect(SCOPES).to.include(FEED_SCOPE);
  });
});
