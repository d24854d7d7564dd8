import type { Socket } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import { type Composed, composed, keyHolder, type LogLine } from '../../support/service/composed.js';
import { blockedFeed } from '../../support/service/middleware.js';
import { rawSocket } from './raw-socket.js';

const isRequest = ({ msg }: LogLine) => msg === 'request';

describe('A client that disconnects', () => {
  const gone: readonly (readonly [how: string, disconnect: (socket: Socket) => void])[] = [
    ['closing the connection', (socket) => socket.destroy()],
    ['resetting the connection', (socket) => socket.resetAndDestroy()],
  ];

  const upload = (path: string, token: string, ...headers: readonly string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers, '', ''].join(
      '\r\n',
    );

  const expectOneAbortedLine = (service: Composed) => {
    const about = service.lines.filter(({ msg }) => !/^(listening|draining|stopped)$/.test(msg));
    expect(about.map(({ msg, aborted }) => [msg, aborted])).to.deep.equal([['request', true]]);
  };

  for (const [how, disconnect] of gone) {
    it(`while it waits, by ${how}, leaves one log line with aborted=true, and no fault`, async () => {
      const feed = blockedFeed(true);
      const service = await composed({}, feed.replace);
      const { value } = await keyHolder(service);
      try {
        const caller = await rawSocket(service.port);
        caller.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${value}\r\n\r\n`);
        await feed.entered;
        disconnect(caller.socket);
        await service.line(isRequest);
        feed.release();
        await service.stop();
        expectOneAbortedLine(service);
      } finally {
        feed.release();
        await service.stop();
      }
    });

    const uploads = [
      ['/internal/v1/news', 'application/x-ndjson', 'publisher-token-of-the-tests'],
      ['/internal/v1/news', 'application/json', 'publisher-token-of-the-tests'],
      ['/internal/v1/accounts', 'application/json', 'operator-token-of-the-tests'],
    ] as const;
    for (const [path, type, token] of uploads) {
      const abandoned = async (): Promise<readonly LogLine[]> => {
        const service = await composed();
        try {
          const caller = await rawSocket(service.internalPort);
          caller.send(
            upload(path, token, `Content-Type: ${type}`, 'Content-Length: 1000', 'Expect: 100-continue'),
          );
          await caller.until('100 Continue');
          caller.send('{"news_event":');
          disconnect(caller.socket);
          await service.line(isRequest);
        } finally {
          await service.stop();
        }
        return service.lines.filter((line) => 'request_id' in line);
      };

      it(`while it sends ${type} to ${path}, by ${how}, causes no fault`, async () => {
        const lines = await abandoned();
        expect(
          lines.filter(({ msg, level }) => msg === 'a request failed' || Number(level) > 30),
        ).to.deep.equal([]);
        expect(lines.filter(isRequest).map(({ aborted }) => aborted)).to.deep.equal([true]);
      });

      it(`while it sends ${type} to ${path}, by ${how}, leaves one log line`, async () => {
        expect((await abandoned()).map(({ msg }) => msg)).to.deep.equal(['request']);
      });
    }
  }

  it('causes no output on standard error, only in the log', async () => {
    const written = sinon.stub(console, 'error');
    const feed = blockedFeed(true);
    const service = await composed({}, feed.replace);
    try {
      const { value } = await keyHolder(service);
      const caller = await rawSocket(service.port);
      caller.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${value}\r\n\r\n`);
      await feed.entered;
      caller.socket.resetAndDestroy();
      // No response was sent, so the status is not the 404 that Node starts with.
      expect(await service.line(isRequest)).to.include({ status: 499, aborted: true });
      feed.release();
      await service.stop();
      expect(written.args).to.deep.equal([]);
    } finally {
      written.restore();
      feed.release();
      await service.stop();
    }
  });

  it('leaves one log line too if its body becomes invalid HTTP', async () => {
    const service = await composed();
    try {
      const caller = await rawSocket(service.internalPort);
      const headers = [
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue',
      ];
      caller.send(upload('/internal/v1/accounts', 'operator-token-of-the-tests', ...headers));
      await caller.until('100 Continue');
      caller.send('no chunk\r\n');
      expect(await caller.all()).to.match(/HTTP\/1\.1 400 Bad Request\r\n/);
      await service.stop();
      expect(service.lines.filter((line) => 'request_id' in line)).to.have.length(1);
    } finally {
      await service.stop();
    }
  });
});
