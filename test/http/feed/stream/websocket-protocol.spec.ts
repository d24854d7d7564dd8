import { expect } from 'chai';
import { type FakeStream, fakeStreams, message } from '../../../support/live/fake-streams.js';
import { closeFrame, controlFrames, frame, OPCODE } from '../../../support/live/frames.js';
import { asking } from '../../../support/live/stream-callers.js';
import { ask, type Composed, composed, type Holder, keyHolder } from '../../../support/service/composed.js';
import { until } from '../../../support/until.js';
import { rawSocket } from '../../listener/raw-socket.js';

const SUBSCRIBE = '{"type":"subscribe"}';
const INVALID_UTF8 = Buffer.from([0xc3, 0x28]);

describe('A WebSocket connection', () => {
  let service: Composed;
  let holder: Holder;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
    holder = await keyHolder(service);
  });
  after(() => service.stop());
  afterEach('the service still answers', async () => {
    expect((await ask(`${service.url}/status`)).status).to.equal(200);
  });

  type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
  const request = (start: string, headers: Headers = {}): string => {
    const all: Headers = { Host: 'a', 'X-API-Key': holder.value, ...asking.websocket(), ...headers };
    const lines = Object.entries(all).flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => `${name}: ${value}\r\n`),
    );
    return `${start}\r\n${lines.join('')}\r\n`;
  };
  const GET = 'GET /pm/v2/stream HTTP/1.1';

  /** Opens a connection and sends bytes. */
  const opened = async () => {
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.send(request(GET));
    const stream = await next;
    await stream.started;
    await caller.until('ready');
    const frames = () => {
      const all = caller.received();
      return controlFrames(Buffer.from(all.slice(all.indexOf('\r\n\r\n') + 4), 'latin1'));
    };
    return { caller, stream, frames };
  };
  type Opened = Awaited<ReturnType<typeof opened>>;

  /** The close code after which the server has ended the connection. */
  const closeCode = async ({ caller, frames }: Opened): Promise<number | undefined> => {
    await caller.all();
    return frames()
      .find(({ opcode }) => opcode === OPCODE.close)
      ?.content.readUInt16BE(0);
  };

  const text = (content: Buffer | string, wrong = {}) => frame(OPCODE.text, content, wrong);
  const fragment = (content: string, opcode: number = OPCODE.continuation) =>
    frame(opcode, content, { isFragment: true });
  // biome-ignore format: a table is read by its columns
  const violations: readonly (readonly [what: string, frames: readonly Buffer[], code: number])[] = [
    ['a frame without mask',                    [text(SUBSCRIBE, { isUnmasked: true })],                     1002],
    ['a compressed frame that was not agreed',  [text(SUBSCRIBE, { reserved: 0x40 })],                       1002],
    ['the second reserved bit',                 [text(SUBSCRIBE, { reserved: 0x20 })],                       1002],
    ['the third reserved bit',                  [text(SUBSCRIBE, { reserved: 0x10 })],                       1002],
    ['a reserved opcode',                       [frame(OPCODE.reserved, 'a')],                               1002],
    ['a reserved opcode of a control frame',    [frame(11, 'a')],                                            1002],
    ['a continuation of nothing',               [frame(OPCODE.continuation, 'a')],                           1002],
    ['a message within a message',              [fragment('{', OPCODE.text), text('}')],                     1002],
    ['a fragmented ping',                       [frame(OPCODE.ping, 'a', { isFragment: true })],             1002],
    ['a ping of more than 125 bytes',           [frame(OPCODE.ping, 'a'.repeat(126))],                       1002],
    ['a close frame of one byte',               [frame(OPCODE.close, 'a')],                                  1002],
    ['a close code that is not for use',        [closeFrame(1005)],                                          1002],
    ['a close code below 1000',                 [closeFrame(999)],                                           1002],
    ['text that is not UTF-8',                  [text(INVALID_UTF8)],                                        1007],
    ['text whose fragments are not UTF-8',      [fragment('a', OPCODE.text), frame(0, INVALID_UTF8)],        1007],
    ['a close reason that is not UTF-8',        [closeFrame(1000, INVALID_UTF8)],                            1007],
    ['a length of 16 385 bytes',                [text('', { length: 16_385n })],                             1009],
    ['a length of 2^62 bytes',                  [text('', { length: 2n ** 62n })],                           1009],
    ['fragments of more than 16 KB',            [fragment(' '.repeat(9_000), OPCODE.text), fragment(' '.repeat(9_000))], 1009],
    ['a binary message',                        [frame(OPCODE.binary, 'a')],                                 1008],
  ];
  for (const [what, frames, code] of violations) {
    it(`is closed with ${code} after ${what}`, async () => {
      const connection = await opened();
      for (const sent of frames) connection.caller.socket.write(sent);
      expect(await closeCode(connection)).to.equal(code);
      await connection.stream.ended;
      expect(connection.stream.subscribed).to.deep.equal([]);
    });
  }

  it('reads a message in fragments, with a ping between them', async () => {
    const { caller, stream, frames } = await opened();
    const parts = [
      fragment('{"type":', OPCODE.text),
      fragment(''),
      frame(OPCODE.ping, 'x'),
      frame(0, '"subscribe"}'),
    ];
    for (const piece of parts) for (const byte of piece) caller.socket.write(Buffer.from([byte]));
    caller.socket.write(closeFrame(1000));
    await stream.ended;
    expect(stream.subscribed).to.deep.equal([{ newsId: null, marketIds: null, terms: [] }]);
    await caller.all();
    expect(frames().map(({ opcode }) => opcode)).to.deep.equal([OPCODE.pong, OPCODE.close]);
  });

  it('reads a message that came with the handshake', async () => {
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.socket.write(Buffer.concat([Buffer.from(request(GET)), text(SUBSCRIBE), closeFrame(1000)]));
    const stream = await next;
    await stream.ended;
    expect(stream.subscribed).to.have.length(1);
    caller.socket.destroy();
  });

  it('is closed with 1008 after a flood of pings', async () => {
    const connection = await opened();
    connection.caller.socket.write(Buffer.concat(Array(20_000).fill(frame(OPCODE.ping))));
    expect(await closeCode(connection)).to.equal(1008);
    expect(connection.frames().filter(({ opcode }) => opcode === OPCODE.pong)).to.have.length(11);
    await connection.stream.ended;
  });

  it('is closed with 1008 after a flood of empty fragments', async () => {
    const connection = await opened();
    connection.caller.socket.write(fragment('', OPCODE.text));
    connection.caller.socket.write(Buffer.concat(Array(60_000).fill(fragment(''))));
    expect(await closeCode(connection)).to.equal(1008);
    await connection.stream.ended;
  });

  it('ends its stream after the end of a client that sends no close frame', async () => {
    const { caller, stream } = await opened();
    caller.socket.end();
    await caller.all();
    await stream.ended;
    expect(stream.figures.reason).to.equal('aborted');
  });

  it('ends its stream after a reset', async () => {
    const { caller, stream } = await opened();
    caller.socket.resetAndDestroy();
    await stream.ended;
  });

  it('is abandoned if the client has ended it during the handshake', async () => {
    let release = () => {};
    streams.until = new Promise<void>((done) => {
      release = done;
    });
    const asked = new Promise<void>((done) => {
      streams.onAsk = done;
    });
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.send(request(GET));
    await asked;
    caller.socket.resetAndDestroy();
    await ask(`${service.url}/status`);
    release();
    streams.until = Promise.resolve();
    await (await next).ended;
  });

  describe('that is pinged', () => {
    let beating: NodeJS.Timeout;
    const pinged: FakeStream[] = [];
    before(() => {
      streams.onStart = (stream) => void pinged.push(stream);
      // A ping goes with each heartbeat.
      beating = setInterval(() => {
        for (const stream of pinged) stream.send(message('heartbeat', 2));
      }, 20);
    });
    after(() => {
      clearInterval(beating);
      streams.onStart = () => {};
    });

    const pings = ({ frames }: Opened) => frames().filter(({ opcode }) => opcode === OPCODE.ping);

    it('is closed after two pings without answer (D55)', async () => {
      const connection = await opened();
      await connection.stream.ended;
      await connection.caller.all();
      expect(pings(connection)).to.have.length.of.at.least(2);
      expect(connection.stream.figures.reason).to.equal('unanswered_pings');
      expect(connection.stream.pongs).to.equal(0);
    });

    it('is closed if its answers are not those to the pings, because it may not read', async () => {
      const connection = await opened();
      connection.caller.socket.write(Buffer.concat(Array(9).fill(frame(OPCODE.pong, 'none'))));
      await connection.stream.ended;
      expect(connection.stream.figures.reason).to.equal('unanswered_pings');
      connection.caller.socket.destroy();
    });

    it('stays open while it answers, late answers included (D51, D55)', async () => {
      const connection = await opened();
      const { caller, stream } = connection;
      let answers = 0;
      caller.socket.on('data', () => {
        const sent = pings(connection);
        // The first of every two.
        for (; sent.length >= 2 * (answers + 1); answers += 1) {
          caller.socket.write(frame(OPCODE.pong, sent[2 * answers]?.content));
        }
      });
      await until(true, () => stream.pongs >= 3);
      caller.socket.write(closeFrame(1000));
      await stream.ended;
      expect(stream.figures.reason).to.equal('client');
      caller.socket.destroy();
    });
  });

  describe('is refused with', () => {
    const refused = async (start: string, headers: Headers = {}) => {
      const before = streams.opened.length;
      const caller = await rawSocket(service.port);
      caller.send(request(start, headers));
      const answer = await caller.all();
      expect(streams.opened.length).to.equal(before);
      return answer;
    };
    // biome-ignore format: a table is read by its columns
    const cases: readonly (readonly [what: string, status: string, start: string, headers: Headers, also?: RegExp])[] = [
      ['another version',      '426', GET, { 'Sec-WebSocket-Version': '8' }, /\r\nSec-WebSocket-Version: 13\r\n(.*\r\n)*Upgrade: websocket\r\n/],
      ['two versions',         '426', GET, { 'Sec-WebSocket-Version': ['13', '8'] }],
      ['no version',           '426', GET, { 'Sec-WebSocket-Version': undefined }],
      ['no key',               '400', GET, { 'Sec-WebSocket-Key': undefined }],
      ['a short key',          '400', GET, { 'Sec-WebSocket-Key': 'c2hvcnQ=' }],
      ['two keys',             '400', GET, { 'Sec-WebSocket-Key': ['dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25jZQ=='] }],
      ['two Hosts',            '400', GET, { Host: ['a', 'b'] }],
      ['no Host',              '400', GET, { Host: undefined }],
      ['another path',         '404', 'GET /pm/v2/stream/ HTTP/1.1', { Connection: 'Upgrade, close' }],
      ['another letter case',  '404', 'GET /PM/v2/stream HTTP/1.1', { Connection: 'Upgrade, close' }],
      ['another method',       '405', 'POST /pm/v2/stream HTTP/1.1', { Connection: 'Upgrade, close' }, /\r\nAllow: GET, OPTIONS\r\n/],
      ['HEAD',                 '405', 'HEAD /pm/v2/stream HTTP/1.1', { Connection: 'Upgrade, close' }, /\r\nAllow: GET, OPTIONS\r\n/],
    ];
    for (const [what, status, start, headers, also = /./] of cases) {
      it(`${status} for ${what}, with a problem document`, async () => {
        const answer = await refused(start, headers);
        expect(answer.slice(9, 12)).to.equal(status);
        expect(answer)
          .to.match(/Content-Type: application\/problem\+json/)
          .and.match(also);
        if (!start.startsWith('HEAD')) expect(answer).to.match(new RegExp(`"status":${status},`));
        expect(answer).to.match(/RateLimit-Policy: /);
      });
    }
  });

  it('is opened for a whole URL as the request target', async () => {
    const next = streams.next();
    const caller = await rawSocket(service.port);
    caller.send(request('GET http://a/pm/v2/stream?market_id=a HTTP/1.1'));
    await caller.until('101 Switching Protocols');
    expect((await next).request.filter.marketIds).to.deep.equal(new Set(['a']));
    caller.socket.destroy();
  });

  for (const [what, start, headers, form] of [
    ['HTTP/1.0', 'GET /pm/v2/stream HTTP/1.0', {}, 'sse'],
    ['another protocol', GET, { Upgrade: 'h2c' }, 'sse'],
    ['several protocols', GET, { Upgrade: 'h2c, websocket' }, 'sse'],
    ['no Connection: Upgrade', GET, { Connection: 'keep-alive' }, 'sse'],
    [
      'another letter case',
      GET,
      { Upgrade: 'WebSocket', connection: 'UPGRADE', Connection: undefined },
      'websocket',
    ],
  ] as const) {
    it(`is opened as ${form} for ${what}`, async () => {
      const next = streams.next();
      const caller = await rawSocket(service.port);
      caller.send(request(start, headers));
      const stream: FakeStream = await next;
      expect(stream.request.form).to.equal(form);
      caller.socket.destroy();
    });
  }

  it('is not opened for the news page: that is answered', async () => {
    const caller = await rawSocket(service.port);
    caller.send(request('GET /pm/v2/news HTTP/1.1', { Connection: 'Upgrade, close' }));
    expect(await caller.all()).to.match(/^HTTP\/1\.1 200 OK/);
  });
});
