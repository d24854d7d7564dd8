import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { receiptOf } from '../../support/objects/receipts.js';
import { type Composed, composed, keyHolder, type Problem } from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';

const GARBAGE = 'GARBAGE\r\n\r\n';

/** The server end of a connection whose client neither reads nor closes it. */
async function connected() {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  caller.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  return {
    socket,
    caller,
    close: () => {
      caller.destroy();
      server.close();
    },
  };
}

/** The number of permits that a call of the counters asks for: for a request without a key, or only to read the limits. */
const [COUNTED, PEEKED] = [1, 0];

/** A service whose counters answer calls for this number of permits only after `release`. */
async function withCountersHeld(heldUpTo: number) {
  const calls = new EventEmitter();
  const isCalled = once(calls, 'call');
  const released = once(calls, 'release');
  const counters: Counters = {
    take: async (permits, upTo) => {
      calls.emit('call');
      if (upTo === heldUpTo) await released;
      return { granted: upTo, counts: permits.map(() => upTo), receipt: receiptOf(permits) };
    },
    giveBack: () => {},
  };
  const service = await composed({}, () => ({ counters: () => counters }));
  return { service, isCalled, release: () => void calls.emit('release') };
}

async function sent(port: number, text: string) {
  const caller = await rawSocket(port);
  caller.send(text);
  const [head = '', body = ''] = (await caller.all()).split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { first, headers, body, problem: JSON.parse(body) as Problem };
}

describe('A request that the HTTP parser refuses', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  it('loses its connection, even if the client neither reads the response nor closes it', async () => {
    const { socket, close } = await connected();
    const closed = once(socket, 'close');
    await service.parts.internalParserErrors(new Error('too slow'), socket);
    expect(socket.destroyed).to.equal(false);
    await closed;
    close();
  });

  it('is answered once, if another parser error follows before the response', async () => {
    const { socket, close } = await connected();
    const faults: Error[] = [];
    socket.on('error', (fault) => faults.push(fault));
    const closed = new Promise((done) => socket.once('close', done));
    const answer = service.parts.publicParserErrors;
    await Promise.all(['first', 'second'].map((title) => answer(new Error(title), socket)));
    await closed;
    expect(faults).to.deep.equal([]);
    close();
  });

  const request = (method: string, more = '') => `${method} /pm/v2/usage HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const refused = (method: string) => request(method, 'Content-Length: 0\r\nContent-Length: 0\r\n');

  // The answer takes the place of the response to the first request, which has not begun.
  // biome-ignore format: a table is read by its columns
  const methods: readonly (readonly [title: string, texts: readonly string[], hasBody: boolean])[] = [
    ['HEAD',                                     [refused('HEAD')],                    false],
    ['HEAD before it in the packet',             [request('HEAD') + refused('GET')],   false],
    ['HEAD before it in another packet',         [request('HEAD'), refused('GET')],    false],
    ['GET before it, if it is HEAD itself',      [request('GET') + refused('HEAD')],   true],
    ['GET before it in another packet, likewise', [request('GET'), refused('HEAD')],   true],
  ];
  for (const [title, texts, hasBody] of methods) {
    it(`gets ${hasBody ? 'a' : 'no'} body in the answer to ${title}`, async () => {
      const { service: other, isCalled, release } = await withCountersHeld(COUNTED);
      const caller = await rawSocket(other.port);
      for (const [n, each] of texts.entries()) {
        if (n > 0) await isCalled;
        caller.send(each);
      }
      const [head = '', body = ''] = (await caller.all()).split('\r\n\r\n');
      release();
      await other.stop();
      expect(head).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(body !== '').to.equal(hasBody);
    });
  }

  it('gets no answer after the response to a request before it in the packet, which is complete', async () => {
    const { service: other, release } = await withCountersHeld(PEEKED);
    const caller = await rawSocket(other.port);
    caller.send(request('GET') + refused('HEAD'));
    await caller.until('HTTP/1.1 401 ');
    release();
    const all = await caller.all();
    await other.stop();
    expect(all.match(/HTTP\/1\.1 .*/g)).to.deep.equal(['HTTP/1.1 401 Unauthorized']);
  });

  it('is told that it came too late, if it did not arrive in time', async () => {
    const { socket, caller, close } = await connected();
    const fault = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    await service.parts.publicParserErrors(fault, socket);
    const [head = '', body = ''] = (await text(caller)).split('\r\n\r\n');
    expect(head)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.to.include('\r\nRetry-After: 1\r\n');
    expect((JSON.parse(body) as Problem).detail).to.equal(
      'The request did not arrive in time. Send it again.',
    );
    close();
  });

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, text: string, status: number, code: string])[] = [
    ['garbage',                         GARBAGE,                                                       400, 'bad_request'],
    ['a header that is too large',      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'header_too_large'],
    ['a request line that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,       431, 'header_too_large'],
    ['an unknown HTTP version',         'GET / HTTP/3.7\r\nHost: a\r\n\r\n',                           400, 'bad_request'],
    ['a header without a colon',        'GET / HTTP/1.1\r\nHost a\r\n\r\n',                            400, 'bad_request'],
    ['two lengths of one body',         'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'bad_request'],
    ['the CONNECT method (D36)',        'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n',           405, 'method_not_allowed'],
    ['a target that is not a URL',        'GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n',                     400, 'bad_request'],
  ];
  for (const [title, text, status, code] of cases) {
    it(`gets ${status} ${code} with the common headers, then its connection is closed: ${title} (D32)`, async () => {
      const { first, headers, body, problem } = await sent(service.port, text);

      expect(first).to.match(new RegExp(`^HTTP/1\\.1 ${status} \\S+`));
      expect(headers).to.include({
        'content-type': 'application/problem+json; charset=utf-8',
        'cache-control': 'no-store',
        'content-length': String(body.length),
        connection: 'close',
        'access-control-allow-origin': '*',
        'ratelimit-policy': '"anonymous";q=30;w=60',
        ratelimit: '"anonymous";r=30;t=50',
        'x-ratelimit-remaining': '30',
      });
      expect(problem).to.include({
        status,
        code,
        instance: '',
        type: `${service.parts.publicAddress.url()}/docs/errors#${code}`,
      });
      expect(headers['link']).to.include('</docs>; rel="service-doc"');
      expect(headers['x-request-id'])
        .to.equal(problem.request_id)
        .and.to.match(/^[0-9a-f-]{36}$/);
    });
  }

  it('gets a response whose headers web pages may read (D36)', async () => {
    const { headers } = await sent(service.port, GARBAGE);
    expect(headers['access-control-expose-headers']).to.be.a('string').and.include('X-Request-Id');
  });

  it('gets no rate-limit headers on the internal listener (D30)', async () => {
    const { headers, problem } = await sent(service.internalPort, GARBAGE);
    expect(problem.code).to.equal('bad_request');
    expect(headers).not.to.have.any.keys('ratelimit', 'access-control-allow-origin');
  });

  for (const [title, text] of [
    ['no Host', 'GET /pm/v2/news HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['the same Host twice', 'GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
  ] as const) {
    it(`is treated like one with ${title}: bad_request, and the connection is closed (D32, T11)`, async () => {
      const { first, headers, problem } = await sent(service.port, text);
      expect(first).to.equal('HTTP/1.1 400 Bad Request');
      expect(problem.code).to.equal('bad_request');
      expect(headers).to.include({ connection: 'close', 'ratelimit-policy': '"anonymous";q=30;w=60' });
    });
  }

  it('is not one of HTTP/1.0 without a Host (T11)', async () => {
    const { value } = await keyHolder(service);
    const caller = await rawSocket(service.port);
    caller.send(`GET /pm/v2/news HTTP/1.0\r\nX-API-Key: ${value}\r\n\r\n`);
    expect(await caller.all()).to.match(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('is answered even while the counters are unavailable', async () => {
    const counters: Counters = {
      take: () => Promise.reject(new Unavailable('counters')),
      giveBack: () => Promise.reject(new Unavailable('counters')),
    };
    const other = await composed({}, () => ({ counters: () => counters }));
    try {
      const { problem, headers } = await sent(other.port, GARBAGE);
      expect(problem.code).to.equal('bad_request');
      expect(headers).to.include.keys('x-request-id');
    } finally {
      await other.stop();
    }
  });
});
