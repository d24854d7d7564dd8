import { expect } from 'chai';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { NO_FILTER } from '../../../src/domain/feed/stream-filter.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { isRefusal, refuse } from '../../../src/domain/refusal.js';
import { NOON } from '../../support/objects/builders.js';
import { streamRequest } from '../../support/streams/open-streams.js';
import {
  HEARTBEAT_MS,
  OpenedStream,
  RENEWAL_MS,
  RegistryFixture,
  STREAMS_MAX,
} from '../../support/streams/registry-fixture.js';

const NO_SLOT_RETRY_SECONDS = 30;

describe('The streams of a process', () => {
  let fixture: RegistryFixture;
  beforeEach(async () => {
    fixture = new RegistryFixture();
    await fixture.registry.start();
  });
  afterEach(async () => {
    await fixture.close();
    expect(fixture.faults).to.deep.equal([]);
  });

  const times = async <T>(count: number, make: () => Promise<T>): Promise<readonly T[]> => {
    const made: T[] = [];
    for (let i = 0; i < count; i += 1) made.push(await make());
    return made;
  };
  const problems = (streams: readonly OpenedStream[]) => streams.map((stream) => stream.problem());

  const resumedAfter = (n: number) => {
    const progress = { of: 'log', position: fixture.live.positionOf(n) } as const;
    return { from: 'progress', progress } as const;
  };

  it('repeat a new filter in `subscribed`, and send what it passes from there on (D55, D57)', async () => {
    const stream = await fixture.open({ markets: ['none'] });
    const terms = [[termOf('category', 'a'), termOf('category', 'b')], [termOf('word', 'fed')]];
    expect(stream.running?.subscribe({ newsId: 'n', marketIds: new Set(['m']), terms })).to.equal('done');
    await fixture.settle();
    expect(stream.running?.subscribe(NO_FILTER)).to.equal('done');
    await fixture.settle();
    await fixture.publish(1, 1);
    await fixture.settle();
    const [, both, none, item] = stream.messages.map(({ position: _, ...message }) => message);
    expect(both).to.deep.equal({
      type: 'subscribed',
      news_id: 'n',
      market_id: ['m'],
      category: ['a', 'b'],
      q: ['fed'],
    });
    expect([none, item?.type]).to.deep.equal([{ type: 'subscribed' }, 'item']);
    stream.running?.refuse({ refused: 'invalid_parameter', faults: [] });
    expect(stream.messages.at(-1)).to.deep.include({ type: 'closing', retry_after_seconds: null });
  });

  describe('hold slots (D51)', () => {
    it('that are renewed with their age and the last pong; those of batches are not', async () => {
      const [stream] = [await fixture.open()];
      await fixture.open();
      await fixture.openBatch({}, { waitMs: 2 * RENEWAL_MS });
      await fixture.advance(RENEWAL_MS - 2_000);
      stream.running?.ponged();
      await fixture.settle();
      await fixture.advance(2_000);
      const figures = fixture.slots.renewed.map((held) =>
        held.map(({ stream: id, secondsOpen, secondsSincePong }) => [id, secondsOpen, secondsSincePong]),
      );
      const [one, other] = fixture.slots.opened;
      expect(figures).to.deep.equal([
        [[one, 8, 0]],
        [
          [one, 10, 2],
          [other, 10, null],
        ],
      ]);
    });

    it('that are renewed at once when a client answers its first ping, and again after 20 s without one', async () => {
      const [first, second] = [await fixture.open(), await fixture.open()];
      const renewed = () => fixture.slots.renewed.map((held) => held.map(({ stream }) => stream));
      for (const stream of [first, second]) stream.running?.ponged();
      await fixture.settle();
      expect(renewed()).to.deep.equal([fixture.slots.opened]);
      first.running?.ponged();
      await fixture.settle();
      expect(renewed()).to.have.length(1);
      await fixture.advance(2 * RENEWAL_MS + 1_000);
      const regular = renewed().length;
      second.running?.ponged();
      await fixture.settle();
      expect(renewed().slice(regular)).to.deep.equal([fixture.slots.opened.slice(1)]);
    });

    it('and end with the reason for which they lost them', async () => {
      const streams = await times(3, () => fixture.open());
      fixture.slots.lose(fixture.slots.opened[0], 'replaced');
      fixture.slots.lose(fixture.slots.opened[1], 'reduced');
      expect(problems(streams)).to.deep.equal(['stream_replaced', 'too_many_streams', null]);
      expect(streams[0]?.messages.at(-1)?.retry_after_seconds).to.equal(NO_SLOT_RETRY_SECONDS);
    });

    it('and end as replaced if a renewal finds none for them', async () => {
      const streams = await times(2, () => fixture.open());
      fixture.slots.gone = fixture.slots.opened.slice(1);
      await fixture.advance(RENEWAL_MS);
      expect(problems(streams)).to.deep.equal([null, 'stream_replaced']);
      expect(fixture.slots.closed).to.deep.equal(fixture.slots.gone);
    });

    it('and free each once, whatever ended the stream', async () => {
      const [one, other] = [await fixture.open(), await fixture.open()];
      (await fixture.prepare()).abandon();
      one.running?.closed('client');
      fixture.slots.lose(fixture.slots.opened[1], 'reduced');
      other.running?.closed('client');
      const [first, second, third] = fixture.slots.opened;
      expect([...fixture.slots.closed].sort()).to.deep.equal([first, second, third].sort());
      await fixture.advance(RENEWAL_MS);
      expect(fixture.slots.renewed).to.deep.equal([[]]);
    });
  });

  it('that cannot start are forgotten, with their slots', async () => {
    const prepared = await fixture.prepare();
    const stream = new OpenedStream(false, () => {
      throw new Error('bug in a sink');
    });
    expect(() => prepared.start(stream.sink)).to.throw('bug in a sink');
    expect(fixture.registry.figures.open).to.equal(0);
    expect(fixture.slots.closed).to.deep.equal(fixture.slots.opened);
    await fixture.publish(1, 1);
    expect(stream.types()).to.deep.equal(['ready']);
  });

  it('end when their key is refused, and get nothing afterwards (D49, D52)', async () => {
    const stream = await fixture.open({ isSlow: true });
    const fast = await fixture.open();
    await fixture.publish(1, 3);
    fixture.access = refuse('key_revoked');
    await fixture.changeKey();
    stream.sink.accept();
    await fixture.publish(4, 3);
    await fixture.advance(3 * HEARTBEAT_MS);
    expect(problems([stream, fast])).to.deep.equal(['key_revoked', 'key_revoked']);
    expect(fast.types()).to.deep.equal(['ready', 'item', 'item', 'item', 'closing']);
    expect(fast.messages.at(-1)?.retry_after_seconds).to.equal(null);
    expect(fixture.registry.figures.open).to.equal(0);
  });

  describe('at a shutdown (D54)', () => {
    const STREAMS = 10;
    const DRAIN_MS = 1_000;

    it('end one after the other within the time, the oldest first', async () => {
      const order: number[] = [];
      const streams: OpenedStream[] = [];
      for (let n = 0; n < STREAMS; n += 1) {
        const ended = () => void (streams[n]?.problem() == null || order.push(n));
        streams.push(await fixture.open({}, ended));
      }
      const drained = fixture.registry.drain(DRAIN_MS);
      const counts: number[] = [];
      for (let i = 0; i < 4; i += 1) {
        await fixture.advance(DRAIN_MS / 4);
        counts.push(order.length);
      }
      await fixture.advance(100);
      await drained;
      expect(order).to.deep.equal(streams.map((_, n) => n));
      for (const [i, count] of counts.entries()) expect(count).to.be.within(2.5 * i, 2.5 * (i + 1) + 1);
      expect(new Set(problems(streams))).to.deep.equal(new Set(['restart']));
      for (const { messages } of streams) expect(messages.at(-1)?.retry_after_seconds).to.be.within(0.5, 5);
    });

    it('end at once if they were being opened, and no other opens', async () => {
      const prepared = await fixture.prepare();
      await fixture.registry.drain(0);
      const stream = new OpenedStream(false);
      prepared.start(stream.sink);
      expect(stream.types()).to.deep.equal(['ready', 'closing']);
      expect(await fixture.registry.open(streamRequest())).to.equal('restart');
    });
  });

  it('that replay send no items that they read before the store returned to an older state (D45)', async () => {
    await fixture.publish(1, 3);
    let grant = () => {};
    fixture.permit = new Promise((done) => (grant = () => done('granted')));
    const prepared = await fixture.prepare({ start: { from: 'time', since: plus(NOON, -DAY) } });
    // The replay leaves this item out, because it has changed since. The change is lost before the first item is sent.
    await fixture.publish(1, 1);
    const stream = new OpenedStream(false);
    prepared.start(stream.sink);
    await fixture.settle();
    await fixture.restore(3);
    grant();
    await fixture.advance(HEARTBEAT_MS);
    expect(stream.ids()).to.deep.equal(['i1', 'i2', 'i3']);
  });

  it('that start after their positions were lost end as expired (D45)', async () => {
    await fixture.publish(1, 5);
    const prepared = await fixture.prepare({ start: resumedAfter(5) });
    await fixture.restore(3);
    const stream = new OpenedStream(false);
    prepared.start(stream.sink);
    await fixture.publish(6, 3);
    expect(stream.types()).to.deep.equal(['ready', 'closing']);
    expect(stream.problem()).to.equal('position_expired');
  });

  it('have the position for the log with which they ended, whatever is published later', async () => {
    await fixture.publish(1, 2);
    const stream = await fixture.open();
    stream.running?.closed('client');
    await fixture.publish(3, 2);
    expect(stream.running?.figures).to.deep.equal({
      position: { of: 'log', position: fixture.live.positionOf(2) },
      items: 0,
      reason: 'client',
    });
  });

  it(`are ${STREAMS_MAX} at most, with those that are being opened`, async () => {
    const answers = await Promise.all(
      Array.from({ length: STREAMS_MAX + 1 }, () => fixture.registry.open(streamRequest())),
    );
    expect(answers.filter((one) => one === 'overloaded')).to.have.length(1);
    expect(answers.some((one) => typeof one !== 'string' && isRefusal(one))).to.equal(false);
  });

  describe('that are batches (D58)', () => {
    it('have the position of their last message if there is more', async () => {
      await fixture.publish(1, 5);
      const { sink, running } = await fixture.openBatch({ start: resumedAfter(1) }, { limit: 2 });
      expect(sink.messages.map(({ position }) => position)).to.deep.equal(
        [2, 3].map((n) => fixture.live.tokenOf(n)),
      );
      expect(running.figures.position).to.deep.equal({ of: 'log', position: fixture.live.positionOf(3) });
    });

    it('have the position of the feed if there is no more, also past changes that do not pass', async () => {
      await fixture.publish(1, 5);
      const { sink, running } = await fixture.openBatch({ start: resumedAfter(1), markets: ['m1'] });
      const position = { of: 'log', position: fixture.live.positionOf(5) };
      expect([sink.messages.length, running.figures.position]).to.deep.equal([0, position]);
    });
  });
});
