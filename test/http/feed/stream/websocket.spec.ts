import { expect } from 'chai';
import type { EndCause } from '../../../../src/adapters/live/connections/stream-sink.js';
import type { Message } from '../../../../src/adapters/live/messages/message.js';
import type { Refusal } from '../../../../src/domain/refusal.js';
import { at, fakeStreams, largeItem, message, tokenAt } from '../../../support/live/fake-streams.js';
import { asking, askStream, openWebSocket, webSocketTo } from '../../../support/live/stream-callers.js';
import { waitFor } from '../../../support/live/wait-for.js';
import {
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
} from '../../../support/service/composed.js';
import { rawSocket } from '../../listener/raw-socket.js';

const text = (sent: Message): string => `${sent.start}${sent.content.text.toString()}`;
const READY = text(message('ready', 1));
const ITEM = message('item', 2, { scored_at: '2026-03-01T12:00:00.000000Z', item: { text: 'ünï' } });

describe('A WebSocket', () => {
  let service: Composed;
  let holder: Holder;
  let key: Readonly<Record<string, string>>;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
    holder = await keyHolder(service);
    key = bearer(holder.value);
  });
  after(() => {
    streams.destroyAll();
    return service.stop();
  });

  const open = (
    query = '',
    headers: Readonly<Record<string, string>> = key,
    options?: Parameters<typeof openWebSocket>[4],
  ) => openWebSocket(service, streams, headers, query, options);

  it('gets each message as a text frame, at once, and a close frame after the last one (D49)', async () => {
    const { caller, stream } = await open();
    await caller.until(`${READY}\n`);
    stream.send(ITEM, message('live', 3));
    await caller.until(`${text(ITEM)}\n${text(message('live', 3))}\n`);
    stream.end('restart', 1_500);
    expect(await caller.closed).to.deep.equal([1012, 'restart']);
    const last = JSON.parse(caller.text().trim().split('\n').at(-1) ?? '');
    expect(last).to.deep.include({ type: 'closing', position: tokenAt(99), retry_after_seconds: 1.5 });
    expect(last.problem.code).to.equal('unavailable');
    expect(stream.sink.isWritable).to.equal(false);
  });

  it('is opened with the headers of any response, and costs one request (D47, D51)', async () => {
    const { value } = await keyHolder(service);
    const { caller } = await open('', { ...bearer(value), 'X-Request-Id': 'a-web-socket' });
    expect(caller.headers).to.include({
      'x-request-id': 'a-web-socket',
      'x-ratelimit-remaining': '2999',
      'access-control-allow-origin': '*',
      upgrade: 'websocket',
      connection: 'Upgrade',
    });
    caller.webSocket.close();
    const usage = await ask(`${service.url}/pm/v2/usage`, { headers: bearer(value) });
    expect(usage.json<{ limits: { used: number }[] }>().limits[0]?.used).to.equal(1);
  });

  it('asks for the stream that the request describes (D48)', async () => {
    const { stream } = await open(`?market_id=a&api_key=${holder.value}`, { 'Last-Event-ID': tokenAt(7) });
    expect(stream.request).to.deep.include({
      form: 'websocket',
      start: { from: 'progress', progress: { of: 'log', position: at(7) } },
      filter: { newsId: null, marketIds: new Set(['a']), terms: [] },
      isResumed: true,
    });
    expect(stream.request.admitted.key).to.equal(holder.key.id);
  });

  it('takes the key in the query even where REST does not, and is never logged with it (D47)', async () => {
    const strict = await composed({ ALLOW_QUERY_KEY: 'false' }, streams.replace);
    const { value } = await keyHolder(strict);
    const next = streams.next();
    const caller = await webSocketTo(strict, {}, `?api_key=${value}&market_id=${value}`);
    expect(caller.headers['referrer-policy']).to.equal('no-referrer');
    for (const form of ['sse', 'batch'] as const) {
      const refused = await askStream(strict, form, {}, `?api_key=${value}`);
      expect(refused.json().code).to.equal('key_missing');
    }
    (await next).end({ refused: 'key_revoked' });
    await caller.closed;
    await strict.line((line) => line['stream'] !== undefined);
    await strict.stop();
    expect(JSON.stringify(strict.lines)).to.not.include(value);
  });

  describe('with permessage-deflate', () => {
    it('gets messages that each can be decompressed alone (D56)', async () => {
      const { caller, stream } = await open('', key, {});
      expect(caller.webSocket.extensions).to.include('permessage-deflate');
      const item = largeItem(3, 20_000);
      stream.send(ITEM, item);
      await caller.until(`${READY}\n${text(ITEM)}\n${text(item)}\n`);
      expect(stream.sink.bytes).to.be.below(text(item).length);
      stream.end({ refused: 'too_many_streams' });
      expect(await caller.closed).to.deep.equal([4429, 'too_many_streams']);
    });

    it('may send compressed messages itself (D55)', async () => {
      const { caller, stream } = await open('', key, { perMessageDeflate: { threshold: 0 } });
      caller.webSocket.send(JSON.stringify({ type: 'subscribe', market_id: ['a'.repeat(200)] }));
      await waitFor(() => stream.subscribed.length > 0, caller.webSocket);
      expect(stream.subscribed).to.deep.equal([
        { newsId: null, marketIds: new Set(['a'.repeat(200)]), terms: [] },
      ]);
      caller.webSocket.close();
    });

    for (const offer of [
      'permessage-deflate; server_max_window_bits=9',
      'permessage-deflate; client_max_window_bits=99',
      'permessage-deflate; unknown=1',
      'permessage-deflate; server_no_context_takeover=1',
      'x-webkit-deflate-frame',
      ',;=',
    ]) {
      it(`is plain for the offer “${offer}”`, async () => {
        const { caller, stream, head } = await openRaw({ 'Sec-WebSocket-Extensions': offer });
        expect(head)
          .to.match(/^HTTP\/1\.1 101 /)
          .and.not.match(/Sec-WebSocket-Extensions/i);
        await caller.until(READY);
        stream.end('unavailable');
        expect(await caller.all()).to.include('"type":"closing"');
      });
    }
  });

  const openRaw = async (headers: Readonly<Record<string, string>>, after = '') => {
    const next = streams.next();
    const caller = await rawSocket(service.port);
    const all = Object.entries({ Host: 'a', ...key, ...asking.websocket(), ...headers });
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
    caller.send(`GET /pm/v2/stream HTTP/1.1\r\n${lines.join('')}\r\n${after}`);
    const stream = await next;
    await caller.until('\r\n\r\n');
    return { caller, stream, head: caller.received().split('\r\n\r\n')[0] ?? '' };
  };

  it('ignores subprotocols that cannot be read', async () => {
    const { caller, head } = await openRaw({ 'Sec-WebSocket-Protocol': 'a, a' });
    expect(head)
      .to.match(/^HTTP\/1\.1 101 /)
      .and.not.match(/Sec-WebSocket-Protocol/i);
    caller.socket.destroy();
  });

  describe('is closed with the code of the cause (D52):', () => {
    // biome-ignore format: a table is read by its columns
    const causes: readonly (readonly [cause: EndCause, code: number, reason: string])[] = [
      [{ refused: 'key_revoked' },                              4401, 'key_revoked'],
      [{ refused: 'key_suspended', causes: ['manual_hold'] },   4402, 'key_suspended'],
      [{ refused: 'subscription_paused' },                      4402, 'subscription_paused'],
      [{ refused: 'insufficient_scope' },                       4403, 'insufficient_scope'],
      [{ refused: 'stream_replaced' },                          4409, 'stream_replaced'],
      [{ refused: 'position_expired', feedHead: null },         4410, 'position_expired'],
      [{ refused: 'too_many_streams' },                         4429, 'too_many_streams'],
      [{ refused: 'rate_limited', violated: ['day'], retryAfterSeconds: 9 }, 4429, 'rate_limited'],
      ['restart',                                               1012, 'restart'],
      ['unavailable',                                           1013, 'unavailable'],
      ['overloaded',                                            1013, 'overloaded'],
    ];
    for (const [cause, code, reason] of causes) {
      it(`${reason} with ${code}`, async () => {
        const { caller, stream } = await open();
        stream.end(cause);
        expect(await caller.closed).to.deep.equal([code, reason]);
        await stream.ended;
        const { problem } = JSON.parse(caller.text().trim().split('\n').at(-1) ?? '');
        expect(problem.code).to.equal(
          (cause as Refusal).refused ?? (cause === 'restart' ? 'unavailable' : cause),
        );
      });
    }
  });

  it('whose connection is lost, ends its stream', async () => {
    const { caller, stream } = await open();
    caller.webSocket.terminate();
    await stream.ended;
    expect(stream.figures.reason).to.equal('aborted');
  });

  it('accepts no more until the client has read everything, and loses nothing (D53)', async () => {
    const { caller, stream } = await open();
    await caller.until('ready');
    caller.webSocket.pause();
    const sent: string[] = [];
    for (let isWritable = true; isWritable; ) {
      const item = largeItem(sent.length + 2, 100_000);
      sent.push(text(item));
      isWritable = stream.send(item);
    }
    const writable = new Promise<void>((done) => stream.sink.whenWritable(done));
    caller.webSocket.resume();
    await writable;
    expect(stream.sink.isWritable).to.equal(true);
    stream.end('restart');
    await caller.closed;
    expect(caller.text().split('\n').slice(1, -2)).to.deep.equal(sent);
  });
});
