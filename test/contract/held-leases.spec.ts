import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

eachAdapter('HeldLeases', contracts.heldLeases, (instance) => {
  const jobs = () => [randomUUID(), randomUUID()];

  it('gives each job to one of several holders, and renews it for this one only', async () => {
    const stores = [await instance(), await instance()];
    const names = jobs();
    const holders = Array.from({ length: 10 }, () => randomUUID());
    const renewAll = () =>
      Promise.all(holders.map((holder, i) => (stores[i % 2] ?? expect.fail()).renew(holder, names)));
    const first = await renewAll();
    expect(first.flatMap((held) => [...held]).toSorted()).to.deep.equal(names.toSorted());
    expect(await renewAll()).to.deep.equal(first);
  });

  it('frees the leases that a holder releases, and no others', async () => {
    const leases = await instance();
    const [one = '', other = ''] = jobs();
    await leases.renew('a', [one]);
    await leases.renew('b', [other]);
    await leases.release('a');
    expect([...(await leases.renew('c', [one, other]))]).to.deep.equal([one]);
    expect([...(await leases.renew('b', [one, other]))]).to.deep.equal([other]);
  });
});
