import { expect } from 'chai';
import { fakeStreams } from '../../../support/live/fake-streams.js';
import { asking } from '../../../support/live/stream-callers.js';
import { ask, bearer, type Composed, composed, keyHolder } from '../../../support/service/composed.js';
import { rawSocket } from '../../listener/raw-socket.js';

describe('A stream that fails when it starts', () => {
  let service: Composed;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
    streams.onStart = () => {
      throw new Error('bug in a stream');
    };
  });
  after(() => service.stop());

  for (const form of ['sse', 'websocket'] as const) {
    it(`closes its connection, is reported and costs nothing (${form})`, async () => {
      const { value } = await keyHolder(service);
      const headers = Object.entries({
        Host: 'a',
        ...bearer(value),
        ...asking[form](),
        'X-Request-Id': `failed-${form}`,
      });
      const caller = await rawSocket(service.port);
      caller.send(
        `GET /pm/v2/stream HTTP/1.1\r\n${headers.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`,
      );
      await caller.all();
      const { err } = await service.line((line) => line['request_id'] === `failed-${form}` && 'err' in line);
      expect(err).to.include({ message: 'bug in a stream' });
      const usage = await ask(`${service.url}/pm/v2/usage`, { headers: bearer(value) });
      expect(usage.json<{ limits: { used: number }[] }>().limits.map(({ used }) => used)).to.deep.equal([
        0, 0,
      ]);
    });
  }
});
