import { expect } from 'chai';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

eachAdapter('LastUsed', contracts.lastUsed, (instance) => {
  it('returns when a key was last used', async () => {
    const { lastUsed, accounts } = await instance();
    const { id } = firstKey(await anAccount(accounts));
    lastUsed.note(id, NOON);
    lastUsed.note(id, plus(NOON, MINUTE));
    expect([...(await lastUsed.of([id]))]).to.deep.equal([[id, plus(NOON, MINUTE)]]);
  });

  it('keeps the latest use that several instances note, in any order of writing', async () => {
    const [left, right] = [await instance(), await instance()];
    const { id } = firstKey(await anAccount(left.accounts));
    right.lastUsed.note(id, plus(NOON, 2 * SECOND));
    expect((await right.lastUsed.of([id])).get(id)).to.equal(plus(NOON, 2 * SECOND));
    left.lastUsed.note(id, plus(NOON, SECOND));
    expect((await left.lastUsed.of([id])).get(id)).to.equal(plus(NOON, 2 * SECOND));
  });

  it('returns several keys at once, without those that were never used or do not exist', async () => {
    const { lastUsed, accounts } = await instance();
    const keys = (await anAccount(accounts, 3)).keys.map(({ id }) => id);
    const [first, , third] = keys;
    for (const id of [first, third]) if (id !== undefined) lastUsed.note(id, NOON);
    const used = await lastUsed.of([...keys, aFreshKey().id]);
    expect([...used.keys()].sort()).to.deep.equal([first, third].sort());
    expect([...(await lastUsed.of([]))]).to.deep.equal([]);
  });
});
