// Longer than 300 lines: everything that a receiver can do, against one set-up of receivers with and without TLS.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HttpOutgoing, type HttpOutgoingOptions } from '../../../src/adapters/outgoing/http-outgoing.js';
import type { OutgoingOutcome } from '../../../src/application/ports/destinations/outgoing.js';
import type { DestinationUrl } from '../../../src/domain/destinations/destination-url.js';
import { SECOND } from '../../../src/domain/moment.js';
import { certificateIn } from '../../support/proxies/certificate.js';
import {
  answering,
  type Behaviour,
  type Receiver,
  type ReceiverOptions,
  receiver,
} from '../../support/servers/receiver.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { until } from '../../support/until.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const HEADER_LENGTH = OK.indexOf('ok');
/** For receivers that do not answer; long enough for a handshake on a busy machine. */
const SHORT_MS = 300;

describe('The sender of requests to destinations', () => {
  let folder: string;
  let tls: { readonly cert: string; readonly key: string };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-outgoing-'));
    const { keyFile, ca } = certificateIn(folder);
    tls = { cert: ca, key: readFileSync(keyFile, 'utf8') };
  });
  after(() => rmSync(folder, { recursive: true }));

  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  const receiving = async (behaviour: Behaviour, options: ReceiverOptions = {}): Promise<Receiver> => {
    const opening = await receiver(behaviour, options);
    opened.push(opening);
    return opening;
  };
  const sender = (options: Partial<HttpOutgoingOptions> = {}): HttpOutgoing => {
    const outgoing = new HttpOutgoing({
      ports: [],
      allowsLoopback: true,
      networks: [],
      timeoutMs: 10_000,
      ca: tls.cert,
      ...options,
    });
    opened.unshift(outgoing);
    return outgoing;
  };
  const send = (
    outgoing: HttpOutgoing,
    port: number,
    scheme = 'http',
    body = '{}',
  ): Promise<OutgoingOutcome> =>
    outgoing.post({
      url: `${scheme}://localhost:${port}/hook?a=b` as DestinationUrl,
      headers: { 'content-type': 'application/json' },
      body,
    });
  const result = (outcome: OutgoingOutcome): number | string =>
    outcome.answered ? outcome.status : outcome.why;
  /** The status, or why there is none, over each scheme. */
  const results = async (behaviour: Behaviour, options: Partial<HttpOutgoingOptions> = {}) => {
    const [plain, secured] = [await receiving(behaviour), await receiving(behaviour, { tls })];
    const outgoing = sender(options);
    const found = [
      result(await send(outgoing, plain.port)),
      result(await send(outgoing, secured.port, 'https')),
    ];
    outgoing.close();
    await until([0, 0], () => [plain.open(), secured.open()]);
    return found;
  };

  it('sends the headers and the body in one POST, with the host of the URL', async () => {
    let request = '';
    const { port } = await receiving(
      (socket) => {
        socket.on('data', (chunk) => {
          request += chunk.toString();
          if (request.endsWith('"ü"')) socket.write(OK);
        });
      },
      { tls },
    );
    expect(result(await send(sender(), port, 'https', '"ü"'))).to.equal(200);
    const [start, ...headers] = request.split('\r\n');
    expect(start).to.equal('POST /hook?a=b HTTP/1.1');
    expect(headers).to.include.members([
      'content-type: application/json',
      'content-length: 4',
      `Host: localhost:${port}`,
    ]);
  });

  for (const status of [
    200, 201, 202, 204, 299, 300, 301, 302, 303, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599,
  ])
    it(`answers with the status ${status}, without following a Location`, async () => {
      const answer = answering(`HTTP/1.1 ${status} X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n`);
      const { port, opened: count } = await receiving(answer);
      const outcome = await send(sender(), port);
      expect(outcome).to.deep.include({ answered: true, status, retryAfter: null });
      expect(outcome.ms).to.be.at.least(0);
      expect(count()).to.equal(1);
    });

  it('answers with the time of Retry-After', async () => {
    const { port } = await receiving(
      answering('HTTP/1.1 429 X\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(await send(sender(), port)).to.deep.include({ status: 429, retryAfter: 120 * SECOND });
  });

  it('answers with the final status after informational ones, and with 101 for a protocol that it did not ask for', async () => {
    const informational = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(await results(answering(`${informational}${OK}`))).to.deep.equal([200, 200]);
    const upgrade = 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await results(answering(upgrade))).to.deep.equal([101, 101]);
  });

  it('notices a connection that is cut at any byte of the answer, and needs the header only', async () => {
    let length = 0;
    const cutting: Behaviour = (socket) => {
      socket.once('data', () => socket.end(OK.slice(0, length)));
    };
    const { port } = await receiving(cutting);
    const secured = await receiving(cutting, { tls });
    const outgoing = sender();
    for (length = 0; length <= OK.length; length += 1) {
      const expected = length < HEADER_LENGTH ? 'cut' : 200;
      expect(result(await send(outgoing, port)), `${length} bytes`).to.equal(expected);
      if (length % 5 === 0)
        expect(result(await send(outgoing, secured.port, 'https')), `${length} bytes over TLS`).to.equal(
          expected,
        );
    }
  });

  it('notices a connection that is reset, and one that is closed before the request was read', async () => {
    const resetting = await receiving((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect(result(await send(sender(), resetting.port))).to.equal('cut');
    const closing: Behaviour = (socket) => {
      socket.once('data', () => socket.destroy());
    };
    expect(await results(closing)).to.deep.equal(['cut', 'cut']);
    expect(await results((socket) => socket.destroy())).to.deep.equal(['cut', 'cut']);
  });

  // biome-ignore format: a table is read by its columns
  const WITHOUT_END: Readonly<Record<string, Behaviour>> = {
    'does not answer':                        (socket) => socket.resume(),
    'begins an answer and stops':             answering('HTTP/1.1 200 OK\r\nContent-Le'),
    'sends its header byte by byte':          (socket) => trickle(socket, () => 'a', 'HTTP/1.1 200 OK\r\nX: '),
    'sends header lines without end':         (socket) => trickle(socket, (n) => `X-${n}: 1\r\n`, 'HTTP/1.1 200 OK\r\n'),
    'sends informational answers for ever':   (socket) => trickle(socket, () => 'HTTP/1.1 103 X\r\n\r\n', ''),
  };
  for (const [what, behaviour] of Object.entries(WITHOUT_END))
    it(`ends at its deadline and closes the connection if the receiver ${what}`, async () => {
      expect(await results(behaviour, { timeoutMs: SHORT_MS })).to.deep.equal(['timed_out', 'timed_out']);
    });

  it('ends at its deadline if the handshake or the look-up has no end', async () => {
    const silent = await receiving((socket) => socket.resume());
    expect(result(await send(sender({ timeoutMs: SHORT_MS }), silent.port, 'https'))).to.equal('timed_out');
    await until(0, silent.open);
    const outgoing = sender({ timeoutMs: SHORT_MS, resolve: () => new Promise(() => {}) });
    const url = 'https://example.com/' as DestinationUrl;
    expect(result(await outgoing.post({ url, headers: {}, body: '' }))).to.equal('timed_out');
  });

  it('needs no answer to be read to its end: the connection of a large or endless body is closed', async () => {
    let bytes = 0;
    const endless: Behaviour = (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const write = (): unknown => !socket.destroyed && socket.write(Buffer.alloc(65_536), written);
        const written = () => {
          bytes += 65_536;
          write();
        };
        write();
      });
    };
    expect(await results(endless)).to.deep.equal([200, 200]);
    // What the buffers of two connections hold.
    expect(bytes).to.be.below(32 * 1_024 * 1_024);
    expect(await results(answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'))).to.deep.equal([
      200, 200,
    ]);
  });

  it('ends at its deadline if the receiver does not read the request', async () => {
    const body = 'x'.repeat(32 * 1_024 * 1_024);
    for (const options of [{}, { tls }]) {
      const { port } = await receiving(() => {}, options);
      const scheme = 'tls' in options ? 'https' : 'http';
      expect(result(await send(sender({ timeoutMs: 1_000 }), port, scheme, body))).to.equal('timed_out');
    }
  });

  it('accepts an answer before its request was read, and closes the connection', async () => {
    const body = 'x'.repeat(32 * 1_024 * 1_024);
    // It does not read, so it notices only by writing that the connection is closed.
    const { port, open } = await receiving((socket) =>
      trickle(socket, () => 'x', 'HTTP/1.1 413 X\r\nContent-Length: 9000000\r\n\r\n', false),
    );
    expect(result(await send(sender(), port, 'http', body))).to.equal(413);
    await until(0, open);
  });

  it('refuses a header of more than 16 KB, and what is not HTTP', async () => {
    expect(await results(answering(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`))).to.deep.equal([
      200, 200,
    ]);
    expect(await results(answering(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`))).to.deep.equal([
      'not_http',
      'not_http',
    ]);
    expect(await results(answering(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(9_000)}\r\n`))).to.deep.equal([
      'not_http',
      'not_http',
    ]);
    expect(await results((socket) => socket.resume().write('SSH-2.0-OpenSSH_9.2\r\n'))).to.deep.equal([
      'not_http',
      'not_http',
    ]);
    const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await results(answering(twoLengths))).to.deep.equal(['not_http', 'not_http']);
  });

  it('trusts only valid certificates of the host, whatever the environment says', async () => {
    const secured = await receiving(answering(OK), { tls });
    const plain = await receiving((socket) => socket.end('HTTP/1.1 400 X\r\n\r\n'));
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const outgoing = new HttpOutgoing({ ports: [], allowsLoopback: true, networks: [], timeoutMs: 10_000 });
      opened.unshift(outgoing);
      expect(result(await send(outgoing, secured.port, 'https'))).to.equal('tls');
      const byAddress = `https://127.0.0.1:${secured.port}/` as DestinationUrl;
      expect(result(await sender().post({ url: byAddress, headers: {}, body: '' }))).to.equal('tls');
      expect(result(await send(sender(), plain.port, 'https'))).to.equal('tls');
      expect(result(await send(sender(), secured.port, 'https'))).to.equal(200);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('says that nothing listens, and that a name has no address', async () => {
    const port = await reservedPort();
    expect(result(await send(sender(), port))).to.equal('refused');
    const url = 'https://example.com/' as DestinationUrl;
    const outgoing = sender({ resolve: async () => [] });
    expect(result(await outgoing.post({ url, headers: {}, body: '' }))).to.equal('not_resolved');
  });

  it('uses a connection again for the same origin, and a new one if the receiver has closed it', async () => {
    const counted = await receiving(answering(OK), { tls });
    const outgoing = sender();
    for (let i = 0; i < 3; i += 1) expect(result(await send(outgoing, counted.port, 'https'))).to.equal(200);
    expect(counted.opened()).to.equal(1);

    // It answers once on each connection, and closes it when the second request arrives.
    const closing = await receiving(
      (socket) => {
        socket.once('data', () => {
          socket.write(OK);
          socket.once('data', () => socket.destroy());
        });
      },
      { tls },
    );
    for (let i = 0; i < 4; i += 1) expect(result(await send(outgoing, closing.port, 'https'))).to.equal(200);
    expect(closing.opened()).to.equal(4);
    outgoing.close();
    await until([0, 0], () => [counted.open(), closing.open()]);
  });

  it('keeps at most 4 idle connections to one origin', async () => {
    const counted = await receiving(answering(OK), { tls });
    const outgoing = sender();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => send(outgoing, counted.port, 'https')),
    );
    expect(outcomes.map(result)).to.deep.equal(Array(20).fill(200));
    await until(4, counted.open);
  });

  it('counts a failure during a pause of this process as its own', async () => {
    const { port } = await receiving((socket) => {
      socket.once('data', () => socket.destroy());
    });
    const failedAfter = async (lastWokeAt: () => number | null) =>
      result(await send(sender({ lastWokeAt }), port));
    const now = performance.now();
    expect(await failedAfter(() => performance.now())).to.equal('own_fault');
    expect([await failedAfter(() => null), await failedAfter(() => now)]).to.deep.equal(['cut', 'cut']);
    const refusing = sender({ lastWokeAt: () => performance.now() });
    expect(result(await send(refusing, await reservedPort()))).to.equal('refused');
  });
});

/** Writes a beginning, then a chunk every few milliseconds until the connection is closed. */
function trickle(
  socket: Parameters<Behaviour>[0],
  chunk: (n: number) => string,
  start: string,
  isReading = true,
): void {
  if (isReading) socket.resume();
  socket.write(start);
  let n = 0;
  const timer = setInterval(() => {
    n += 1;
    socket.write(chunk(n));
  }, 5);
  socket.once('close', () => clearInterval(timer));
}
