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
    await left().publish([item('a', at(3), 'm')], 'live');
    expect(times(await right().publish([item('c', at(3))], 'backfill'))).to.deep.equal([at(3)]);
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

  it('keeps an item that is published again, with its place, and logs no change (D11)', async () => {
    const [stored] = await left().publish([item('a', at(1)), item('b', at(5))], 'live');
    const before = await page(right());
    const repeated = await right().publish(
      [item('a', at(1)), { ...item('b', at(9)), isScoredNow: true }, item('c', at(6))],
      'live',
    );
    expect(repeated.map(({ outcome }) => outcome)).to.deep.equal(['unchanged', 'unchanged', 'accepted']);
    expect(repeated[0]).to.deep.include({ id: 'a', scoredAt: stored?.scoredAt, json: stored?.json });
    expect(times(await all())).to.deep.equal([at(6), at(5), at(1)]);
    expect((await page(left())).position.n).to.equal(before.position.n + 1);
  });

  it('gives an item a new place if its publication names a later time (D11)', async () => {
    await left().publish([item('a', at(1)), item('b', at(5))], 'live');
    const [again] = await right().publish([item('a', at(7))], 'live');
    expect(again).to.deep.include({ outcome: 'accepted', scoredAt: at(7) });
    expect(ids(await all())).to.deep.equal(['a', 'b']);
  });

  it('refuses an item of a backfill that is in the feed with another body, and stores the others (D11)', async () => {
    await left().publish([item('a', at(3)), item('b', at(5))], 'live');
    const answers = await right().publish(
      [item('a', at(2), 'm'), item('b', at(5)), item('c', at(1))],
      'backfill',
    );
    expect(answers.map(({ outcome, scoredAt }) => [outcome, scoredAt])).to.deep.equal([
      ['not_backfill', at(3)],
      ['unchanged', at(5)],
      ['accepted', at(1)],
    ]);
    expect(ids((await page(left(), { ...EVERYTHING, marketId: 'm' })).items)).to.deep.equal([]);
    expect(times(await all())).to.deep.equal([at(5), at(3), at(1)]);
  });

  it('keeps the time at which an item was first published, until it is retracted (D41)', async () => {
    const version = (text: string, endpoint_published_at: string) => ({
      ...item('a', at(1)),
      json: Buffer.from(JSON.stringify({ news_event: { text, endpoint_published_at } })),
    });
    const published = async (text: string, time: string) =>
      `${(await right().publish([version(text, time)], 'live'))[0]?.json}`;
    await left().publish([version('one', 'first')], 'live');
    expect(await published('two', 'second')).to.equal(`${version('two', 'first').json}`);
    await left().retract('a');
    expect(await published('three', 'third')).to.equal(`${version('three', 'third').json}`);
  });

  it('publishes nothing for an empty batch', async () => {
    expect(await left().publish([], 'live')).to.deep.equal([]);
    const { items, head, position } = await page(right());
    expect([items, head, position.n]).to.deep.equal([[], null, 0]);
    await left().publish([item('a', plus(NOON, HOUR))], 'backfill');
    expect(times(await all())).to.deep.equal([plus(NOON, HOUR)]);
  });
});
