import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Identity } from '../../src/application/ports/identities.js';
import { anAccount } from '../support/accounts.js';
import { contracts, eachAdapter } from './adapters.js';

/** So that connections are warm, and attempts truly overlap. */
const ROUNDS = 20;

const anIdentity = (): Identity => ({ issuer: 'https://id.example', subject: randomUUID() });

eachAdapter('Identities', contracts.identities, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('joins a person to one of ten accounts that are joined at once, and answers all that one', async () => {
    const stores = await pair();
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => (await anAccount(stores[0].accounts, 0)).id),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const identity = anIdentity();
      const answers = await Promise.all(
        ids.map((id, i) => stores[(i % 2) as 0 | 1].identities.join(identity, id)),
      );
      expect(new Set(answers).size).to.equal(1);
      expect(ids).to.include(answers[0]);
      for (const { identities } of stores) expect(await identities.accountOf(identity)).to.equal(answers[0]);
    }
  });

  it('belong to one account for good, for every instance', async () => {
    const [one, other] = await pair();
    const [first, second] = [await anAccount(one.accounts, 0), await anAccount(one.accounts, 0)];
    const identity = anIdentity();
    expect(await one.identities.accountOf(identity)).to.equal(null);
    expect(await one.identities.join(identity, first.id)).to.equal(first.id);
    expect(await other.identities.join(identity, second.id)).to.equal(first.id);
    expect(await other.identities.accountOf(identity)).to.equal(first.id);
  });

  it('may be several of one account', async () => {
    const { identities, accounts } = await instance();
    const { id } = await anAccount(accounts, 0);
    const some = [anIdentity(), anIdentity()];
    for (const identity of some) expect(await identities.join(identity, id)).to.equal(id);
    for (const identity of some) expect(await identities.accountOf(identity)).to.equal(id);
  });

  it('are told apart by issuer and subject both, however these are cut', async () => {
    const { identities, accounts } = await instance();
    const { id } = await anAccount(accounts, 0);
    const name = randomUUID();
    await identities.join({ issuer: `${name}/a`, subject: 'b' }, id);
    const others: readonly Identity[] = [
      { issuer: name, subject: 'b' },
      { issuer: name, subject: '/ab' },
      { issuer: `${name}/ab`, subject: '' },
      { issuer: `${name}/a`, subject: 'B' },
      { issuer: `${name}/a`, subject: 'c' },
      { issuer: 'b', subject: `${name}/a` },
      { issuer: `${name}/a`, subject: 'b\u0000' },
    ];
    for (const other of others)
      expect(await identities.accountOf(other), JSON.stringify(other)).to.equal(null);
  });
});
