import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import type { Moment } from '../../../src/domain/moment.js';
import { at, EVERYTHING, eachFeedStore, ids, item, times } from './each-feed-store.js';

const ROUNDS = 20;

eachFeedStore(({ left, right, all, caughtUp }) => {
  it('loses no item of four publishers on two instances, and keeps one order (D6, T16)', async () => {
    const publish = async (publisher: number) => {
      for (let batch = 0; batch < 20; batch += 1) {
        const items = Array.from({ length: 5 }, () => item(randomUUID(), at(batch)));
        await (publisher % 2 === 0 ? left() : right()).publish(items, publisher === 3 ? 'backfill' : 'live');
      }
    };
    await Promise.all([0, 1, 2, 3].map(publish));
    const found = times(await all());
    expect(found).to.have.length(400);
    expect(new Set(found)).to.have.property('size', 400);
    expect(found).to.deep.equal([...found].sort().reverse());
    expect((await left().page(EVERYTHING)).position.n).to.equal(400);
  });

  it('never shows a reader a new item below a live head that it has seen (D7, D8)', async () => {
    const seen = new Map<string, Moment>();
    const heads: Moment[] = [];
    const publish = async (store: FeedStore) => {
      for (let i = 0; i < 50; i += 1) await store.publish([item(randomUUID(), at(i))], 'live');
    };
    const poll = async () => {
      for (let i = 0; i < 50; i += 1) {
        const since = heads.at(-1) ?? null;
        const { items, head } = await right().page({ ...EVERYTHING, since });
        for (const { id, scoredAt } of items) seen.set(id, scoredAt);
        if (head !== null) heads.push(head);
      }
    };
    await Promise.all([publish(left()), publish(right()), poll()]);
    await caughtUp();
    await poll();
    expect(seen).to.have.property('size', 100);
    expect(heads).to.deep.equal([...heads].sort());
  });

  it('publishes a batch atomically: no other writer in between, no reader before its end (D7, T16)', async () => {
    const batch = (name: string) =>
      Array.from({ length: 5 }, (_, i) => item(`${name}:${i}`, at(0), `market of ${name}`));
    for (let round = 0; round < ROUNDS; round += 1) {
      const names = [0, 1, 2, 3].map((publisher) => `${round}.${publisher}`);
      const reading = Promise.all(
        names.flatMap((name) =>
          [left(), right()].map((s) => s.page({ ...EVERYTHING, marketId: `market of ${name}` })),
        ),
      );
      await Promise.all(
        names.map((name, i) => (i % 2 === 0 ? left() : right()).publish(batch(name), 'live')),
      );
      for (const { items } of await reading) expect([0, 5]).to.include(items.length);
    }
    const published = ids(await all()).reverse();
    for (let first = 0; first < published.length; first += 5) {
      const name = published[first]?.split(':')[0] ?? '';
      expect(published.slice(first, first + 5)).to.deep.equal(ids(batch(name)));
    }
  });

  it('keeps one item of an id that four publish concurrently (D11)', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const texts = [0, 1, 2, 3].map((n) => ({ ...item('a', at(n)), json: Buffer.from(`${n}`) }));
      await Promise.all(texts.map((text, i) => (i % 2 === 0 ? left() : right()).publish([text], 'live')));
      const found = await all();
      expect(found).to.have.length(1);
    }
  });

  it('reads the head from the same snapshot as the items, never from a later one (D8)', async () => {
    const publish = async (target: FeedStore) => {
      for (let i = 0; i < 50; i += 1) await target.publish([item(randomUUID(), at(i))], 'live');
    };
    const read = async () => {
      for (let i = 0; i < 50; i += 1) {
        const { items, head } = await right().page(EVERYTHING);
        expect(head).to.equal(items[0]?.scoredAt ?? null);
      }
    };
    await Promise.all([publish(left()), publish(right()), read()]);
  });
});
