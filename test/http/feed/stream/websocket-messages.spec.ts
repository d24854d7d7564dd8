import { expect } from 'chai';
import { fakeStreams, largeItem } from '../../../support/live/fake-streams.js';
import { openWebSocket } from '../../../support/live/stream-callers.js';
import { waitFor } from '../../../support/live/wait-for.js';
import { bearer, type Composed, composed, keyHolder } from '../../../support/service/composed.js';

describe('A WebSocket', () => {
  let service: Composed;
  let key: Readonly<Record<string, string>>;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
    key = bearer((await keyHolder(service)).value);
  });
  after(() => service.stop());

  const open = (
    query = '',
    headers: Readonly<Record<string, string>> = key,
    options?: Parameters<typeof openWebSocket>[4],
  ) => openWebSocket(service, streams, headers, query, options);

  describe('whose client sends', () => {
    it('a subscribe message, replaces its filter (D55)', async () => {
      const { caller, stream } = await open();
      caller.webSocket.send('{"type":"subscribe","market_id":"a"}');
      caller.webSocket.send('{"type":"subscribe"}');
      await waitFor(() => stream.subscribed.length === 2, caller.webSocket);
      expect(stream.subscribed).to.deep.equal([
        { newsId: null, marketIds: new Set(['a']), terms: [] },
        { newsId: null, marketIds: null, terms: [] },
      ]);
      caller.webSocket.close();
    });

    it('a subscribe message during a replay, is closed with 1008 (D55)', async () => {
      const { caller, stream } = await open();
      stream.subscribes = 'refused';
      caller.webSocket.send('{"type":"subscribe"}');
      expect(await caller.closed).to.deep.equal([1008, 'subscribe_during_replay']);
      await stream.ended;
      expect(stream.figures.reason).to.equal('subscribe_during_replay');
    });

    for (const [what, data, reason] of [
      ['another message', '{"type":"unsubscribe"}', 'invalid_parameter'],
      ['no JSON', 'PING', 'invalid_parameter'],
      ['a bad filter', '{"type":"subscribe","market_id":[""]}', 'invalid_parameter'],
      ['an empty message', '', 'invalid_parameter'],
      ['a binary message', Buffer.from('{"type":"subscribe"}'), 'binary_message'],
    ] as const) {
      it(`${what}, is closed with 1008 (D55)`, async () => {
        const { caller, stream } = await open();
        caller.webSocket.send(data);
        expect(await caller.closed).to.deep.equal([1008, reason]);
        await stream.ended;
        expect(stream.subscribed).to.deep.equal([]);
      });
    }

    it('bad filters, gets all their faults in `closing` before the connection is closed (D49, D55)', async () => {
      const { caller } = await open();
      caller.webSocket.send('{"type":"subscribe","q":".","category":"a,","markets":"a"}');
      await caller.closed;
      const { type, problem, retry_after_seconds } = JSON.parse(
        caller.text().trim().split('\n').at(-1) ?? '',
      );
      expect([type, retry_after_seconds]).to.deep.equal(['closing', null]);
      expect(problem).to.include({ status: 400, code: 'invalid_parameter', instance: '/pm/v2/stream' });
      const faults = problem.errors.map(({ parameter }: { readonly parameter: string }) => parameter);
      expect(faults).to.have.members(['q', 'category', 'markets']);
    });

    it('more than 10 messages in a second, is closed with 1008 (D55)', async () => {
      const { caller, stream } = await open();
      for (let i = 0; i < 11; i += 1) caller.webSocket.send('{"type":"subscribe"}');
      expect(await caller.closed).to.deep.equal([1008, 'too_many_messages']);
      expect(stream.subscribed).to.have.length(10);
    });

    it('more than 10 pings in a second, is closed with 1008', async () => {
      const { caller } = await open();
      let pongs = 0;
      caller.webSocket.on('pong', () => {
        pongs += 1;
      });
      for (let i = 0; i < 1_000; i += 1) caller.webSocket.ping();
      expect(await caller.closed).to.deep.equal([1008, 'too_many_messages']);
      expect(pongs).to.equal(11);
    });

    it('a message of 16 KB, is read; a larger one is closed with 1009 (D55)', async () => {
      const { caller, stream } = await open();
      const subscribe = (bytes: number) => `{"type":"subscribe"}${' '.repeat(bytes - 20)}`;
      caller.webSocket.send(subscribe(16_384));
      await waitFor(() => stream.subscribed.length === 1, caller.webSocket);
      caller.webSocket.send(subscribe(16_385));
      expect((await caller.closed)[0]).to.equal(1009);
      await stream.ended;
      expect(stream.figures.reason).to.equal('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH');
    });

    it('a small message that decompresses to more than 16 KB, is closed with 1009', async () => {
      const { caller } = await open('', key, { perMessageDeflate: { threshold: 0 } });
      caller.webSocket.send(`{"type":"subscribe"}${' '.repeat(10_000_000)}`);
      expect((await caller.closed)[0]).to.equal(1009);
    });

    it('a ping, gets its pong, also between messages (D55)', async () => {
      const { caller, stream } = await open();
      const pong = new Promise<string>(
        (done) => void caller.webSocket.once('pong', (data) => done(String(data))),
      );
      stream.send(largeItem(2, 1_000_000));
      caller.webSocket.ping('hello');
      stream.send(largeItem(3, 1_000_000));
      expect(await pong).to.equal('hello');
      stream.end('restart');
      expect((await caller.closed)[0]).to.equal(1012);
    });

    it('a close frame, gets one, and its stream ends', async () => {
      const { caller, stream } = await open();
      caller.webSocket.close(1000, 'done');
      expect(await caller.closed).to.deep.equal([1000, 'done']);
      await stream.ended;
      expect(stream.figures.reason).to.equal('client');
    });
  });
});
