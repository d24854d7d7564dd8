import { expect } from 'chai';
import type { Message } from '../../../src/adapters/live/messages/message.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { HEARTBEAT_MS, RegistryFixture, STREAMS_MAX } from '../../support/streams/registry-fixture.js';

/** Two of these fill a write. */
const LARGE = 'x'.repeat(40_000);

describe('The streams of a process get heartbeats (D49)', () => {
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

  it('in each interval, and not all at once', async () => {
    const at: number[][] = [];
    await times(8, () => {
      const mine: number[] = [];
      at.push(mine);
      return fixture.open({}, () => mine.push(fixture.ms));
    });
    const [opened, intervals] = [fixture.ms, 5];
    await fixture.advance((intervals + 1) * HEARTBEAT_MS);
    const sent = at.map((mine) => mine.filter((ms) => ms > opened));
    for (const mine of sent) {
      expect(mine.length).to.be.within(intervals, intervals + 1);
      expect(mine.slice(1).map((ms, i) => ms - (mine[i] ?? 0))).to.deep.equal(
        mine.slice(1).map(() => HEARTBEAT_MS),
      );
    }
    const first = sent.map(([ms]) => ms);
    expect(Math.max(...first.map((ms) => first.filter((other) => other === ms).length))).to.be.at.most(4);
  });

  it('in the write of a change if they are due soon', async () => {
    await fixture.close();
    fixture = new RegistryFixture(15 * HEARTBEAT_MS);
    await fixture.registry.start();
    const streams = await times(STREAMS_MAX, () => fixture.open());
    await fixture.publish(1, 1);
    const sent = streams.map((stream) => stream.writes.slice(1).map((types) => types.join(' ')));
    expect(sent.filter(([first]) => first === 'item heartbeat')).to.have.lengthOf(4);
    expect(sent.filter(([first]) => first === 'item')).to.have.lengthOf(STREAMS_MAX - 4);
    expect(new Set(sent.map(({ length }) => length))).to.deep.equal(new Set([1]));
    await fixture.publish(2, 1);
    expect(streams.flatMap(({ writes }) => writes.slice(2))).to.deep.equal(streams.map(() => ['item']));
    const beating = streams.find(({ writes }) => writes[1]?.[1] === 'heartbeat');
    expect(beating?.messages.map(({ position }) => position).slice(1)).to.deep.equal([
      ...[fixture.live.tokenOf(1), fixture.live.tokenOf(1), fixture.live.tokenOf(2)],
    ]);
  });

  it('with their own position, however far the feed is', async () => {
    const stream = await fixture.open({ isSlow: true });
    stream.sink.accept();
    await fixture.publish(1, 5, LARGE);
    for (let i = 0; i < 8; i += 1) {
      await fixture.advance(HEARTBEAT_MS);
      stream.sink.accept();
      await fixture.settle();
    }
    const beats = stream.messages.flatMap(({ type, position }, i) =>
      type === 'heartbeat' ? [[position, stream.messages[i - 1]?.position]] : [],
    );
    expect(beats.length).to.be.greaterThan(3);
    expect(beats.map(([own]) => own)).to.deep.equal(beats.map(([, before]) => before));
    expect(new Set(beats.map(([own]) => own)).size).to.be.greaterThan(1);
  });

  it('also while they wait, for a permit for example', async () => {
    await fixture.publish(1, 2);
    let grant = () => {};
    fixture.permit = new Promise((done) => (grant = () => done('granted')));
    const stream = await fixture.open({ start: { from: 'time', since: plus(NOON, -DAY) } });
    await fixture.advance(2 * HEARTBEAT_MS);
    const waiting = stream.messages.slice(1);
    expect(waiting.length).to.be.within(1, 2);
    const { position } = stream.messages[0] ?? {};
    for (const message of waiting) expect(message).to.deep.include({ type: 'heartbeat', position });
    grant();
    await fixture.settle();
    expect(stream.types().slice(1 + waiting.length)).to.deep.equal(['item', 'item', 'live']);
  });

  it('as one message for the streams at one position, and another for those at another position', async () => {
    await fixture.publish(1, 2);
    let grant = () => {};
    fixture.permit = new Promise((done) => (grant = () => done('granted')));
    const since = { from: 'time', since: plus(NOON, -DAY) } as const;
    const streams = [
      ...(await times(8, () => fixture.open({ start: since }))),
      ...(await times(8, () => fixture.open())),
    ];
    const beats: { readonly at: string; readonly own: string; readonly message: Message }[] = [];
    for (const { sink, messages } of streams) {
      const [send, own = ''] = [sink.send.bind(sink), messages[0]?.position];
      sink.send = (sent) => {
        for (const message of sent) beats.push({ at: `${own} ${fixture.ms}`, own, message });
        return send(sent);
      };
    }
    await fixture.advance(2 * HEARTBEAT_MS);
    expect(beats.map(({ message }) => message.position)).to.deep.equal(beats.map(({ own }) => own));
    const made = new Set(beats.map(({ message }) => message)).size;
    expect(made).to.be.lessThan(beats.length);
    expect(made).to.equal(new Set(beats.map(({ at }) => at)).size);
    grant();
    await fixture.settle();
  });

  it('with the newest position if nothing passes their filter', async () => {
    const stream = await fixture.open({ markets: ['m1'] });
    await fixture.publish(1, 5);
    await fixture.advance(2 * HEARTBEAT_MS);
    expect(stream.messages.at(-1)).to.deep.include({
      type: 'heartbeat',
      position: fixture.live.tokenOf(5),
    });
  });
});
