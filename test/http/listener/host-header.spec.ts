import { expect } from 'chai';
import { type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';

/** More headers than Node keeps by default; together they fit into 16 KB. */
const SHORT_HEADERS = 'a:\r\n'.repeat(2_050);

describe('A second Host header', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  for (const path of ['/pm/v2/news', '/status', '/dashboard/sign-in']) {
    it(`is refused on ${path} even behind two thousand short headers (T11, T22)`, async () => {
      const { value } = await keyHolder(service);
      const caller = await rawSocket(service.port);
      caller.send(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${value}\r\n${SHORT_HEADERS}Host: b\r\n\r\n`,
      );
      expect(await caller.all()).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    });
  }

  it('is refused with 431 behind five thousand headers, which exceed 16 KB as sent', async () => {
    const caller = await rawSocket(service.port);
    caller.send(`GET /status HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(5_000)}Host: b\r\n\r\n`);
    expect(await caller.all()).to.match(/^HTTP\/1\.1 431 /);
  });

  it('is not found in a request with two thousand short headers and one Host, which is served', async () => {
    const { value } = await keyHolder(service);
    const caller = await rawSocket(service.port);
    caller.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\n${SHORT_HEADERS}X-API-Key: ${value}\r\n\r\n`);
    await caller.until('next_cursor');
    expect(caller.received()).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    caller.socket.destroy();
  });
});
