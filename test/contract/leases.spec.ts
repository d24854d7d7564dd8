import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { HOUR, plus } from '../../src/domain/moment.js';
import { NOON } from '../support/objects/builders.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

const ROUNDS = 20;

eachAdapter('Leases', contracts.leases, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('gives the lease to one of ten concurrent callers, insisting or not', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = randomUUID();
      const takes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].acquire(work, NOON, i % 3 === 0)),
      );
      expect(takes.filter((lease) => lease !== null)).to.deep.equal([{ checkpoint: null }]);
    }
  });

  it('gives the lease again when it is due or the caller insists, with the last checkpoint', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.acquire(work, NOON, false);
    await one.release(work, plus(NOON, -HOUR), plus(NOON, HOUR));
    expect(await other.acquire(work, NOON, false)).to.equal(null);
    expect(await other.acquire(work, NOON, true)).to.deep.equal({ checkpoint: plus(NOON, -HOUR) });
    await other.release(work, NOON, plus(NOON, HOUR));
    expect(await one.acquire(work, plus(NOON, HOUR), false)).to.deep.equal({ checkpoint: NOON });
  });

  it('has the state of before after a lease was abandoned', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.acquire(work, NOON, false);
    await one.release(work, NOON, plus(NOON, HOUR));
    await one.acquire(work, plus(NOON, HOUR), false);
    await one.abandon(work);
    expect(await other.acquire(work, NOON, false)).to.equal(null);
    expect(await other.acquire(work, plus(NOON, HOUR), false)).to.deep.equal({ checkpoint: NOON });
  });

  it('keeps jobs apart', async () => {
    const one = await instance();
    expect(await one.acquire(randomUUID(), NOON, false)).to.deep.equal({ checkpoint: null });
    expect(await one.acquire(randomUUID(), NOON, false)).to.deep.equal({ checkpoint: null });
  });
});
