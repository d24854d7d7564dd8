import { expect } from 'chai';
import { ChangeEntry } from '../../../src/adapters/live/changes/change-entry.js';
import type { FoundEntry } from '../../../src/adapters/live/changes/live-feed.js';
import { LoggedChanges } from '../../../src/adapters/live/logged-changes.js';
import type { Message } from '../../../src/adapters/live/messages/message.js';
import type { PumpParts } from '../../../src/adapters/live/pump-parts.js';
import type { Stream } from '../../../src/adapters/live/stream.js';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { streamToken } from '../../../src/domain/feed/stream-position.js';
import { LAST_MOMENT } from '../../../src/domain/moment.js';
import { positionIn, published, tokenIn } from '../../support/live/stored-changes.js';
import { openStreamOf } from '../../support/streams/open-streams.js';

const BYTES_MAX = 10_000;

/** The streams of this file are at change 1. */
describe('The changes after the position of a stream', () => {
  const ended: string[] = [];
  let newest = positionIn(3);
  let [now, msPerLook] = [0, 0];
  const found = new Map<number, FoundEntry | Promise<FoundEntry>>();
  const changes = new LoggedChanges(
    {
      liveFeed: {
        entry: (n: number) => found.get(n),
        get position() {
          return newest;
        },
      } as unknown as PumpParts['liveFeed'],
      notes: { delivered: () => {}, replayPermit: () => {} },
      end: (_, why) => void ended.push(String(why)),
      monotonicClock: () => (now += msPerLook),
    },
    async () => {},
  );
  beforeEach(() => {
    ended.length = 0;
    newest = positionIn(3);
    found.clear();
    msPerLook = 0;
    for (const n of [2, 3]) found.set(n, new ChangeEntry(published(n, `i${n}`, { markets: ['m1'] }), 0));
  });

  const collected = (stream = openStreamOf(), bytesMax = BYTES_MAX) => {
    const messages: Message[] = [];
    const wait = changes.collect(stream, messages, bytesMax);
    return { wait, positions: messages.map(({ position }) => position) };
  };

  it('are sent up to the newest one, and then the stream is at the head', () => {
    const stream = openStreamOf();
    expect(collected(stream)).to.deep.equal({ wait: null, positions: [tokenIn(2), tokenIn(3)] });
    expect(stream.progress).to.equal('head');
  });

  it('are passed over without a message if they do not pass the filter', () => {
    const stream = openStreamOf({ markets: ['m2'] });
    expect(collected(stream)).to.deep.equal({ wait: null, positions: [] });
  });

  it('are looked at for 2 ms in a step if the stream has a filter, and no stream loses one', () => {
    msPerLook = 0.5;
    for (let n = 2; n <= 11; n += 1)
      found.set(n, new ChangeEntry(published(n, `i${n}`, { markets: ['m1'] }), 0));
    newest = positionIn(11);
    const stream = openStreamOf({ markets: ['m1'] });
    const steps = [collected(stream), collected(stream), collected(stream), collected(stream)];
    expect(steps.map(({ wait }) => wait)).to.deep.equal(['turn', 'turn', 'turn', null]);
    const numbers = Array.from({ length: 10 }, (_, i) => tokenIn(i + 2));
    expect(steps.flatMap(({ positions }) => positions)).to.deep.equal(numbers);
    expect(collected(openStreamOf()).wait).to.equal(null);
  });

  it('are sent in several writes, without one twice (D50)', () => {
    const stream = openStreamOf();
    expect(collected(stream, 1)).to.deep.equal({ wait: 'turn', positions: [tokenIn(2)] });
    expect(collected(stream, 1)).to.deep.equal({ wait: 'turn', positions: [tokenIn(3)] });
    expect(collected(stream, 1)).to.deep.equal({ wait: null, positions: [] });
  });

  it('name the newest change from one on that a later change supersedes, until the stream has it (D45)', () => {
    newest = positionIn(5);
    found.set(2, new ChangeEntry(published(2, 'i2', { item: null }), 0));
    found.set(4, new ChangeEntry(published(4, 'i4'), 0));
    found.set(5, new ChangeEntry(published(5, 'i2'), 0));
    const began = (n: number) =>
      streamToken({ of: 'replay', began: positionIn(n), seen: positionIn(5), reached: LAST_MOMENT });
    const stream = openStreamOf();
    expect(collected(stream, 1).positions).to.deep.equal([began(3)]);
    const seen = { began: positionIn(3), seen: positionIn(5), reached: LAST_MOMENT };
    expect(stream.progress).to.deep.equal({ of: 'replay', ...seen });
    newest = positionIn(6);
    expect(collected(stream).positions).to.deep.equal([began(4), tokenIn(5)]);
    expect(stream.progress).to.equal('head');
  });

  it('are one message for all streams that have seen the same', () => {
    newest = positionIn(4);
    found.set(2, new ChangeEntry(published(2, 'i2', { item: null }), 0));
    found.set(4, new ChangeEntry(published(4, 'i2'), 0));
    const sent = [openStreamOf(), openStreamOf()].map((stream) => {
      const messages: Message[] = [];
      void changes.collect(stream, messages, BYTES_MAX);
      return messages[0];
    });
    expect(sent[0]).to.equal(sent[1]);
  });

  it('are sent as far as they are in memory, before the stream waits for the others', () => {
    const read = Promise.resolve(undefined);
    found.set(3, read);
    const stream = openStreamOf();
    expect(collected(stream)).to.deep.equal({ wait: read, positions: [tokenIn(2)] });
    expect(stream.progress).to.deep.equal({ of: 'log', position: positionIn(2) });
  });

  it('are sent as far as the log has them; the stream ends in the step after, because nothing follows closing (D49)', () => {
    found.set(3, 'gone');
    const stream = openStreamOf();
    expect(collected(stream)).to.deep.equal({ wait: 'turn', positions: [tokenIn(2)] });
    expect(ended).to.deep.equal([]);
    expect(collected(stream)).to.deep.equal({ wait: 'ended', positions: [] });
    expect(ended).to.deep.equal(['position_expired']);
  });

  describe('for a stream that is sent the same as one before it', () => {
    const first = () => {
      const messages: Message[] = [];
      void changes.collect(openStreamOf(), messages, BYTES_MAX);
      return messages;
    };

    it('are the same messages, and it is at the head', () => {
      const messages = first();
      const streams = [openStreamOf(), openStreamOf()] as const;
      const [one, other] = streams.map((stream) => changes.collectShared(stream));
      expect(one?.messages).to.deep.equal(messages);
      expect(one).to.equal(other);
      for (const { progress, changes: sent } of streams) expect([progress, sent]).to.deep.equal(['head', 2]);
    });

    const paying = openStreamOf();
    paying.payment = 'sent';
    const elsewhere = openStreamOf();
    elsewhere.progress = { of: 'log', position: positionIn(2) };
    const batch = openStreamOf();
    Object.defineProperty(batch.sink, 'room', { value: 2 });
    const others: readonly (readonly [string, Stream])[] = [
      ['at another position', elsewhere],
      ['with a filter by market', openStreamOf({ markets: ['m1'] })],
      ['with a filter by term', openStreamOf({ terms: [[termOf('category', 'economy')]] })],
      ['that pays for its items', paying],
      ['whose batch takes two more messages', batch],
    ];
    for (const [name, stream] of others)
      it(`are not known for a stream ${name}`, () => {
        first();
        const before = stream.progress;
        expect(changes.collectShared(stream)).to.equal(null);
        expect(stream.progress).to.deep.equal(before);
      });

    it('are not known after another change', () => {
      first();
      newest = positionIn(4);
      found.set(4, new ChangeEntry(published(4, 'i4'), 0));
      expect(changes.collectShared(openStreamOf())).to.equal(null);
    });
  });
});
