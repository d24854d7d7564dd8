import { expect } from 'chai';
import { MINUTE, plus } from '../../src/domain/moment.js';
import { aFreshKey } from '../support/accounts.js';
import { NOON } from '../support/builders.js';
import { contracts, eachAdapter } from './adapters.js';

eachAdapter('LastUsed', contracts.lastUsed, (instance) => {
  it('tells when a key was last used', async () => {
    const lastUsed = await instance();
    const { id } = aFreshKey();
    lastUsed.note(id, NOON);
    lastUsed.note(id, plus(NOON, MINUTE));
    expect(await lastUsed.of(id)).to.equal(plus(NOON, MINUTE));
  });

  it('says null of a key that was never used', async () => {
    expect(await (await instance()).of(aFreshKey().id)).to.equal(null);
  });
});
