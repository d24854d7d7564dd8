import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Listener } from '../../../../src/adapters/http/listener/server.js';
import { until } from '../../../support/until.js';
import { rawSocket } from '../raw-socket.js';
import { testListener } from '../test-listener.js';

describe('Pipelined requests of one connection', () => {
  let listener: Listener;
  before(async () => {
    listener = await testListener((request, response) => {
      setImmediate(() => response.end(`you asked for ${request.url}`));
    });
  });
  after(() => listener.stop());

  const requests = (count: number) =>
    Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

  for (const count of [17, 18, 100, 272]) {
    it(`are all answered in order: ${count} in one packet`, async () => {
      const caller = await rawSocket(listener.port);
      for (let round = 0; round < 3; round += 1) {
        const before = caller.received().length;
        caller.send(requests(count));
        await caller.until(`you asked for /${count - 1}`, before);
        const answers =
          caller
            .received()
            .slice(before)
            .match(/asked for \/\d+/g) ?? [];
        expect(answers).to.deep.equal(Array.from({ length: count }, (_, i) => `asked for /${i}`));
      }
      caller.socket.destroy();
    });
  }

  it('are handled seventeen at once, and are read no further while some of them wait', async () => {
    const held: ServerResponse[] = [];
    let [isHeld, most] = [true, 0];
    const holding = await testListener((request, response) => {
      if (request.url === '/last') response.end('the last one');
      else if (isHeld) held.push(response);
      else setImmediate(() => response.end());
      most = Math.max(most, held.length);
    });
    const caller = await rawSocket(holding.port);
    caller.send(requests(20));
    // More than the buffers of the operating system take.
    const more = `GET /more HTTP/1.1\r\nHost: a\r\nX-Filler: ${'x'.repeat(8_000)}\r\n\r\n`;
    for (let sent = 0; sent < 3_000; sent += 1) caller.send(more);
    caller.send('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await until(true, () => held.length >= 17);
    for (let n = 0; n < 8; n += 1) held.shift()?.end();
    await until(true, () => held.length >= 16);
    expect(most).to.equal(17);
    expect(caller.socket.writableLength).to.be.above(0);
    isHeld = false;
    for (const response of held) response.end();
    expect(await caller.all()).to.include('the last one');
    await holding.stop();
  });

  it('are handled with their bodies, also the last one that had to wait', async () => {
    const echoing = await testListener(async (request, response) => response.end(await text(request)));
    const caller = await rawSocket(echoing.port);
    caller.send(requests(40));
    caller.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\nConnection: close\r\n\r\n');
    caller.send('x'.repeat(200_000));
    expect(await caller.all()).to.include('x'.repeat(200_000));
    await echoing.stop();
  });

  it('are not handled any more after their connection has closed', async () => {
    const held: ServerResponse[] = [];
    const holding = await testListener((_request, response) => void held.push(response));
    const caller = await rawSocket(holding.port);
    caller.send(requests(40));
    await until(true, () => held.length === 17);
    const closed = Promise.all(held.map((response) => once(response, 'close')));
    held[0]?.req.socket.destroy();
    await closed;
    caller.socket.destroy();
    await holding.stop();
    expect(held.length).to.equal(17);
  });

  it('are cut off with their connection beyond 256 that wait: one packet can hold a thousand', async () => {
    const caller = await rawSocket(listener.port);
    caller.send(requests(1_000));
    await caller.all();
  });
});
