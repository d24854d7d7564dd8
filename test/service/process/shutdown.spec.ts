import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { aKey, ndjson, unique } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  type Service,
  spawnMain,
  startService,
} from '../../support/service/running-service.js';

const only = ({ instances: [instance] }: Service): Instance => {
  if (instance === undefined) throw new Error('the service has no instance');
  return instance;
};

const PUBLISHER = {
  Authorization: 'Bearer publisher-token-of-the-tests',
  'Content-Type': 'application/x-ndjson',
};

/** Resolves when new connections are refused. */
async function refused(base: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    const isAccepted = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true)).once('error', () => done(false));
    });
    socket.destroy();
    if (!isAccepted) return;
  }
}

describe('The shutdown (T8)', () => {
  it('is clean even if SIGTERM comes as soon as the process listens', async () => {
    const child = spawnMain({
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      OPERATOR_TOKEN: 'operator-token-of-the-tests',
      PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
      DRAIN_DELAY_MS: '0',
    });
    const exit = once(child, 'exit');
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('"listening"')) child.kill('SIGTERM');
    });
    expect(await exit).to.deep.equal([0, null]);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`on ${signal} lets a running request finish, and exits with 0`, async () => {
      const service = await startService();
      const { process, internalUrl, line } = only(service);
      const sending = request(`${internalUrl}/internal/v1/news`, {
        method: 'POST',
        headers: { ...PUBLISHER, Expect: '100-continue' },
        agent: false,
      });
      const answered = once(sending, 'response');
      sending.flushHeaders();
      await once(sending, 'continue'); // The service has accepted the request and waits for its body.
      const exit = once(process, 'exit');
      process.kill(signal);
      await line('draining');
      await refused(internalUrl); // Now the process only waits for this request.
      sending.end(ndjson([publication({ id: unique() })]));
      const [response] = await answered;
      expect(response.statusCode).to.equal(200);
      expect(response.headers.connection).to.equal('close');
      expect(await json(response)).to.deep.equal({ accepted: 1, unchanged: 0, rejected: [] });
      expect(await exit).to.deep.equal([0, null]);
    });
  }

  it('answers requests while draining, with `Connection: close`', async () => {
    const service = await startService({ DRAIN_DELAY_MS: '800' });
    const client = await Client.of(service);
    const { key } = await aKey(client);
    const { process, internalUrl, url, line } = only(service);
    const exit = once(process, 'exit');
    process.kill('SIGTERM');
    await line('draining');
    const page = await send(`${url}/pm/v2/news`, { headers: { 'X-API-Key': key, Connection: 'keep-alive' } });
    expect([page.status, page.headers['connection']]).to.deep.equal([200, 'close']);
    const alive = await send(`${internalUrl}/livez`, {});
    expect([alive.status, alive.headers['connection']]).to.deep.equal([200, 'close']);
    expect((await send(`${internalUrl}/readyz`, {})).status).to.equal(503);
    expect(await exit).to.deep.equal([0, null]);
  });

  it('does not wait for connections without a request', async () => {
    const service = await startService();
    const { process, url, internalUrl } = only(service);
    const silent = [url, internalUrl].map((base) => connect(Number(new URL(base).port), '127.0.0.1'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    for (const socket of silent) socket.on('error', () => {});
    await send(`${internalUrl}/livez`, {});
    const exit = once(process, 'exit');
    process.kill('SIGTERM');
    expect(await exit).to.deep.equal([0, null]);
  });
});
