import { expect } from 'chai';
import { MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import { aFreshKey, anAccount, firstKey } from '../support/accounts.js';
import { NOON } from '../support/builders.js';
import { contracts, eachAdapter } from './adapters.js';

eachAdapter('LastUsed', contracts.lastUsed, (instance) => {
  it('tells when a key was last used', async () => {
    const { lastUsed, accounts } = await instance();
    const { id } = firstKey(await anAccount(accounts));
    lastUsed.note(id, NOON);
    lastUsed.note(id, plus(NOON, MINUTE));
    expect(await lastUsed.of(id)).to.equal(plus(NOON, MINUTE));
  });

  it('keeps the latest of what several instances note, in whichever order they write it', async () => {
    const [left, right] = [await instance(), await instance()];
    const { id } = firstKey(await anAccount(left.accounts));
    right.lastUsed.note(id, plus(NOON, 2 * SECOND));
    expect(await right.lastUsed.of(id)).to.equal(plus(NOON, 2 * SECOND));
    left.lastUsed.note(id, plus(NOON, SECOND));
    expect(await left.lastUsed.of(id)).to.equal(plus(NOON, 2 * SECOND));
  });

  it('says null of a key that was never used', async () => {
    expect(await (await instance()).lastUsed.of(aFreshKey().id)).to.equal(null);
  });
});
