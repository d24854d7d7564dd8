import { expect } from 'chai';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { at, EVERYTHING, eachFeedStore, ids, item, times } from './each-feed-store.js';

eachFeedStore(({ left, right, all, page }) => {
  it('returns the published items in the order given, with ties moved up (D6)', async () => {
    const published = await left().publish([item('a', at(5)), item('b', at(5)), item('c', at(1))], 'live');
    expect(ids(published)).to.deep.equal(['a', 'b', 'c']);
    expect(times(published)).to.deep.equal([at(5), at(6), at(7)]);
  });

  it('keeps the times of a backfill, except those that are taken (D7)', async () => {
    await left().publish([item('x', at(10)), item('y', at(11))], 'live');
    const published = await right().publish(
      [item('a', at(3)), item('b', at(10)), item('c', at(3)), item('d', at(12))],
      'backfill',
    );
    expect(times(published)).to.deep.equal([at(3), at(12), at(4), at(13)]);
    expect((await page(left())).head).to.equal(at(13));
  });

  it('frees the time of an item that is replaced (D6)', async () => {
    await left().publish([item('a', at(3)), item('b', at(9))], 'live');
    expect(times(await right().publish([item('a', at(3))], 'backfill'))).to.deep.equal([at(3)]);
  });

  it('finds a free time after a long run of taken times', async () => {
    await left().publish(
      Array.from({ length: 300 }, (_, i) => item(`a${i}`, at(0))),
      'backfill',
    );
    await left().publish(
      Array.from({ length: 300 }, (_, i) => item(`b${i}`, at(0))),
      'backfill',
    );
    const found = await page(right(), { ...EVERYTHING, count: 1_000 });
    expect(times(found.items)).to.deep.equal(Array.from({ length: 600 }, (_, i) => at(599 - i)));
  });

  it('moves an item that is published again to the head, and drops its older version (D11)', async () => {
    await left().publish([item('a', at(1), 'm1'), item('b', at(2), 'm1')], 'live');
    await right().publish([{ ...item('a', at(1), 'm2'), json: Buffer.from('{}') }], 'live');
    expect(ids(await all())).to.deep.equal(['a', 'b']);
    expect((await all())[0]?.json.toString()).to.equal('{}');
    expect(ids((await page(left(), { ...EVERYTHING, marketId: 'm1' })).items)).to.deep.equal(['b']);
    expect(ids((await page(left(), { ...EVERYTHING, marketId: 'm2' })).items)).to.deep.equal(['a']);
  });

  it('keeps the later of two items with one id in a batch', async () => {
    await left().publish([item('a', at(1), 'm1'), item('b', at(2)), item('a', at(3), 'm2')], 'live');
    expect(ids(await all())).to.deep.equal(['a', 'b']);
    expect(ids((await page(left(), { ...EVERYTHING, marketId: 'm1' })).items)).to.deep.equal([]);
  });

  it('never lets its head fall (D7)', async () => {
    await left().publish([item('a', at(5))], 'live');
    await left().retract('a');
    expect((await page(right())).head).to.equal(at(5));
    await right().publish([item('b', at(1))], 'live');
    expect(times(await all())).to.deep.equal([at(6)]);
    await right().publish([item('c', at(2))], 'backfill');
    expect((await page(left())).head).to.equal(at(6));
  });

  it('keeps its head when the newest item is replaced further down (D7)', async () => {
    await left().publish([item('a', at(1)), item('b', at(5))], 'live');
    await right().publish([item('b', at(2))], 'backfill');
    const { items, head } = await page(left());
    expect(times(items)).to.deep.equal([at(2), at(1)]);
    expect(head).to.equal(at(5));
  });

  it('publishes nothing for an empty batch', async () => {
    expect(await left().publish([], 'live')).to.deep.equal([]);
    const { items, head, position } = await page(right());
    expect([items, head, position.n]).to.deep.equal([[], null, 0]);
    await left().publish([item('a', plus(NOON, HOUR))], 'backfill');
    expect(times(await all())).to.deep.equal([plus(NOON, HOUR)]);
  });
});
