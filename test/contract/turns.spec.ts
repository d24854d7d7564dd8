import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { HOUR, plus } from '../../src/domain/moment.js';
import { NOON } from '../support/objects/builders.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

const ROUNDS = 20;

eachAdapter('Turns', contracts.turns, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('gives the turn to one of ten who want it at once, insisting or not', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = randomUUID();
      const takes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].take(work, NOON, i % 3 === 0)),
      );
      expect(takes.filter((turn) => turn !== null)).to.deep.equal([{ mark: null }]);
    }
  });

  it('gives it again when it is due, or to who insists, with the mark of the last', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.take(work, NOON, false);
    await one.done(work, plus(NOON, -HOUR), plus(NOON, HOUR));
    expect(await other.take(work, NOON, false)).to.equal(null);
    expect(await other.take(work, NOON, true)).to.deep.equal({ mark: plus(NOON, -HOUR) });
    await other.done(work, NOON, plus(NOON, HOUR));
    expect(await one.take(work, plus(NOON, HOUR), false)).to.deep.equal({ mark: NOON });
  });

  it('is as it was before once it is given up', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.take(work, NOON, false);
    await one.done(work, NOON, plus(NOON, HOUR));
    await one.take(work, plus(NOON, HOUR), false);
    await one.giveUp(work);
    expect(await other.take(work, NOON, false)).to.equal(null);
    expect(await other.take(work, plus(NOON, HOUR), false)).to.deep.equal({ mark: NOON });
  });

  it('keeps works apart', async () => {
    const one = await instance();
    expect(await one.take(randomUUID(), NOON, false)).to.deep.equal({ mark: null });
    expect(await one.take(randomUUID(), NOON, false)).to.deep.equal({ mark: null });
  });
});
