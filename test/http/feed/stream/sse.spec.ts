// Longer than 300 lines: the cases of one connection share its fakes.
import { once } from 'node:events';
import { constants, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { SharedMessages } from '../../../../src/adapters/fast-paths/shared-messages.js';
import type { Message } from '../../../../src/adapters/live/messages/message.js';
import {
  at,
  type FakeStream,
  fakeStreams,
  largeItem,
  message,
  tokenAt,
} from '../../../support/live/fake-streams.js';
import { eventStream } from '../../../support/live/stream-callers.js';
import {
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
} from '../../../support/service/composed.js';
import { rawSocket } from '../../listener/raw-socket.js';

/** A message as an `EventSource` receives it. */
const event = (sent: Message): string => {
  const data = `${sent.start}${sent.content.text.toString()}`;
  return `id: ${sent.position}\nevent: ${sent.type}\ndata: ${data}\n\n`;
};
const READY = event(message('ready', 1));
const ITEM = message('item', 2, { scored_at: '2026-03-01T12:00:00.000000Z', item: { text: 'ünï' } });

describe('An event stream', () => {
  let service: Composed;
  let holder: Holder;
  let key: Readonly<Record<string, string>>;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
    holder = await keyHolder(service);
    key = bearer(holder.value);
  });
  after(() => service.stop());

  const open = async (headers: Readonly<Record<string, string>> = {}, query = '') => {
    const next = streams.next();
    const caller = await eventStream(service, { ...key, ...headers }, query);
    return { caller, stream: await next };
  };
  const openRaw = async (
    request: string,
  ): Promise<readonly [Awaited<ReturnType<typeof rawSocket>>, FakeStream]> => {
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.send(request.replaceAll('KEY', `X-API-Key: ${holder.value}`));
    return [caller, await next];
  };

  it('has the headers of a stream that nobody stores or collects, and costs one request (D47, D51)', async () => {
    const { value } = await keyHolder(service);
    const caller = await eventStream(service, bearer(value));
    expect(caller.status).to.equal(200);
    expect(caller.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      vary: 'Authorization, X-API-Key, Accept, Accept-Encoding',
      'access-control-allow-origin': '*',
      'x-ratelimit-remaining': '2999',
      ratelimit: '"minute";r=2999;t=50, "day";r=999999;t=43190',
      connection: 'close',
      'transfer-encoding': 'chunked',
    });
    expect(caller.headers).to.include.keys('x-request-id', 'date', 'ratelimit-policy');
    expect(caller.headers).to.not.have.any.keys(
      'content-encoding',
      'etag',
      'content-length',
      'referrer-policy',
    );
    caller.close();
  });

  it('sends each message as an event, at once, and ends after the last one (D49)', async () => {
    const { caller, stream } = await open();
    await caller.until(Buffer.from(READY).toString('latin1'));
    stream.send(ITEM);
    await caller.until(Buffer.from(event(ITEM)).toString('latin1'));
    stream.end('restart', 1_500);
    expect(await caller.ended).to.equal(true);
    const text = caller.bytes().toString();
    expect(text.slice(0, text.indexOf('retry:'))).to.equal(READY + event(ITEM));
    expect(text).to.match(/retry: 1500\nid: \S+\nevent: closing\ndata: \{.*"code":"unavailable".*\}\n\n$/);
    expect(stream.sink.isWritable).to.equal(false);
  });

  it('writes several messages in their order (D50)', async () => {
    const { caller, stream } = await open();
    const messages = Array.from({ length: 50 }, (_, i) => message('retraction', i + 2, { id: `ne_${i}` }));
    stream.send(...messages);
    stream.end({ refused: 'stream_replaced' });
    await caller.ended;
    expect(caller.text()).to.include(messages.map(event).join(''));
    expect(caller.text()).to.include('"code":"stream_replaced"');
  });

  it('asks for the stream that the request describes (D48)', async () => {
    const { caller, stream } = await open(
      { 'X-Request-Id': 'a-request-id' },
      `?after=${tokenAt(7)}&market_id=a&market_id=b&limit=0`,
    );
    const { request } = stream;
    expect(request).to.deep.include({
      form: 'sse',
      start: { from: 'progress', progress: { of: 'log', position: at(7) } },
      filter: { newsId: null, marketIds: new Set(['a', 'b']), terms: [] },
      isResumed: true,
      requestId: 'a-request-id',
      hash: service.parts.hashKey(holder.value),
    });
    expect(request.admitted).to.include({ key: holder.key.id, plan: 'pro' });
    caller.close();
    const start = { from: 'progress', progress: { of: 'log', position: at(8) } };
    for (const [headers, query] of [
      [{ 'Last-Event-ID': tokenAt(8) }, ''],
      [{}, `&lastEventId=${tokenAt(8)}`],
    ] as const) {
      const resumed = await open(headers, `?since=2026-01-01${query}`);
      expect(resumed.stream.request.start).to.deep.equal(start);
      resumed.caller.close();
    }
  });

  describe('that is compressed', () => {
    it('has one gzip member that can be read after each message (D56, T25)', async () => {
      const { caller, stream } = await open({ 'Accept-Encoding': 'br, gzip' });
      expect(caller.headers['content-encoding']).to.equal('gzip');
      const text = () => gunzipSync(caller.bytes(), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
      const until = async (expected: string) => {
        while (!text().includes(expected)) await once(caller.response, 'data');
      };
      await until(READY);
      stream.send(ITEM);
      await until(event(ITEM));
      stream.send(largeItem(3, 50_000));
      stream.end('unavailable', 500);
      expect(await caller.ended).to.equal(true);
      expect(text().startsWith(READY + event(ITEM) + event(largeItem(3, 50_000)))).to.equal(true);
      expect(text()).to.match(/retry: 500\n.*event: closing/s);
    });

    for (const accepted of ['br', 'identity', 'gzip;q=0', 'gzip;q=0.1, identity;q=0.9', 'deflate']) {
      it(`is not, for Accept-Encoding: ${accepted} (D56)`, async () => {
        const { caller } = await open({ 'Accept-Encoding': accepted });
        expect(caller.headers['content-encoding']).to.equal(undefined);
        await caller.until('ready');
        caller.close();
      });
    }
  });

  it('has no chunks for HTTP/1.0, and ends with the connection', async () => {
    const [caller, stream] = await openRaw('GET /pm/v2/stream HTTP/1.0\r\nKEY\r\n\r\n');
    await caller.until(READY);
    stream.send(message('live', 2));
    stream.sink.sendShared(new SharedMessages([message('item', 3), message('heartbeat', 3)]));
    stream.end('restart', 1_000);
    const [head = '', body = ''] = (await caller.all()).split('\r\n\r\n');
    expect(head)
      .to.match(/Connection: close/)
      .and.not.match(/Transfer-Encoding/);
    const shared = `${event(message('item', 3))}${event(message('heartbeat', 3))}`;
    expect(body.startsWith(`${READY}${event(message('live', 2))}${shared}retry: 1000\n`)).to.equal(true);
    expect(body.endsWith('\n\n')).to.equal(true);
  });

  it('ends for the registry when the client closes it', async () => {
    const { caller, stream } = await open();
    caller.close();
    await stream.ended;
    expect(stream.figures.reason).to.equal('client');
  });

  it('is abandoned if the client is gone before it opens, and costs nothing (D51)', async () => {
    const { value } = await keyHolder(service);
    let release = () => {};
    streams.until = new Promise<void>((done) => {
      release = done;
    });
    const asked = new Promise<void>((done) => {
      streams.onAsk = done;
    });
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.send(
      `GET /pm/v2/stream HTTP/1.1\r\nHost: a\r\nX-Request-Id: gone-early\r\nX-API-Key: ${value}\r\n\r\n`,
    );
    await asked;
    caller.socket.destroy();
    await service.line((line) => line['request_id'] === 'gone-early');
    release();
    streams.until = Promise.resolve();
    const stream = await next;
    await stream.ended;
    expect(stream.isAbandoned).to.equal(true);
    const usage = await ask(`${service.url}/pm/v2/usage`, { headers: bearer(value) });
    expect(usage.json<{ limits: { used: number }[] }>().limits.map(({ used }) => used)).to.deep.equal([0, 0]);
  });

  it('waits for its turn behind earlier requests on the connection', async () => {
    const news = 'GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n';
    const [caller, stream] = await openRaw(
      `${news}${news}GET /pm/v2/stream HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n${news}`,
    );
    await caller.until('ready');
    stream.send(ITEM);
    stream.end('restart');
    const responses = (await caller.all()).split('HTTP/1.1 200 OK');
    expect(responses).to.have.length(4);
    expect(responses.at(-1)).to.match(/event: ready.*event: item.*event: closing.*\r\n0\r\n\r\n$/s);
  });

  it('is not opened before the responses to earlier requests on the connection are written', async () => {
    const batch = 'GET /pm/v2/stream?wait=30 HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\nKEY\r\n\r\n';
    const [caller, first] = await openRaw(`${batch}GET /pm/v2/stream HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n`);
    const opened = streams.opened.length;
    const { caller: other } = await open();
    other.close();
    expect(streams.opened.slice(opened).map(({ request }) => request.form)).to.deep.equal(['sse']);
    const next = streams.next();
    await first.started;
    first.end('restart');
    const second = await next;
    await second.started;
    second.end('restart');
    expect(await caller.all()).to.match(/"messages":\[\],.*event: closing.*\r\n0\r\n\r\n$/s);
  });

  it('ignores the body of its request, and still notices when the client closes the connection', async function () {
    this.timeout(10_000); // An unread body would end the connection after 15 s.
    const [caller, stream] = await openRaw(
      `GET /pm/v2/stream HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`,
    );
    await caller.until('ready');
    caller.socket.destroy();
    await stream.ended;
  });

  it('is what a request gets that offers another protocol than WebSocket', async () => {
    const { caller } = await open({
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABk',
    });
    expect(caller.status).to.equal(200);
    caller.close();
  });

  describe('whose client does not read', () => {
    it('accepts no more until the client has read everything, and loses nothing (D53)', async () => {
      const { caller, stream } = await open();
      await caller.until('ready');
      caller.response.pause();
      const sent: Message[] = [];
      let isWritable = true;
      while (isWritable) {
        const item = largeItem(sent.length + 2, 100_000);
        sent.push(item);
        isWritable = stream.send(item);
      }
      expect(stream.sink.isWritable).to.equal(false);
      const writable = new Promise<void>((done) => stream.sink.whenWritable(done));
      caller.response.resume();
      await writable;
      expect(stream.sink.isWritable).to.equal(true);
      stream.end('restart');
      await caller.ended;
      const expected = READY + sent.map(event).join('');
      expect(caller.text().startsWith(expected)).to.equal(true);
      expect(stream.sink.bytes).to.be.above(expected.length);
    });

    it('closes after the time for unread responses; a quiet one stays (D53)', async () => {
      const impatient = await composed({ UNREAD_ANSWER_TIMEOUT_MS: '200' }, streams.replace);
      const { value } = await keyHolder(impatient);
      const nexts = [streams.next(), streams.next()] as const;
      const quiet = await eventStream(impatient, bearer(value));
      const greedy = await eventStream(impatient, bearer(value));
      const [quietStream, stream] = [await nexts[0], await nexts[1]];
      greedy.response.pause();
      // How much the sockets and the paused client accept depends on the version of Node.
      const fill = () => {
        while (stream.send(largeItem(2, 1_000_000)));
        stream.sink.whenWritable(fill);
      };
      fill();
      await stream.ended;
      expect(stream.figures.reason).to.equal('client');
      quietStream.send(ITEM);
      await quiet.until('event: item');
      quietStream.end('restart');
      await impatient.stop();
    });
  });
});
