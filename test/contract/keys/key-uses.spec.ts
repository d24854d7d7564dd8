import { expect } from 'chai';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

eachAdapter('KeyUses', contracts.keyUses, (instance) => {
  it('returns when a key was first and last used', async () => {
    const { keyUses, accounts } = await instance();
    const { id } = firstKey(await anAccount(accounts));
    keyUses.note(id, NOON);
    await keyUses.of([id]);
    keyUses.note(id, plus(NOON, MINUTE));
    expect([...(await keyUses.of([id]))]).to.deep.equal([
      [id, { firstAt: NOON, lastAt: plus(NOON, MINUTE) }],
    ]);
  });

  it('keeps the latest use that several instances note, in any order of writing', async () => {
    const [left, right] = [await instance(), await instance()];
    const { id } = firstKey(await anAccount(left.accounts));
    right.keyUses.note(id, plus(NOON, 2 * SECOND));
    expect((await right.keyUses.of([id])).get(id)?.lastAt).to.equal(plus(NOON, 2 * SECOND));
    left.keyUses.note(id, plus(NOON, SECOND));
    expect((await left.keyUses.of([id])).get(id)?.lastAt).to.equal(plus(NOON, 2 * SECOND));
  });

  it('returns several keys at once, without those that were never used or do not exist', async () => {
    const { keyUses, accounts } = await instance();
    const keys = (await anAccount(accounts, 3)).keys.map(({ id }) => id);
    const [first, , third] = keys;
    for (const id of [first, third]) if (id !== undefined) keyUses.note(id, NOON);
    const used = await keyUses.of([...keys, aFreshKey().id]);
    expect([...used.keys()].sort()).to.deep.equal([first, third].sort());
    expect([...(await keyUses.of([]))]).to.deep.equal([]);
  });
});
