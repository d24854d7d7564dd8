import { connect } from 'node:net';
import { expect } from 'chai';
import { startService } from '../support/service/running-service.js';
import { benchModule } from './module.js';

type WorstRequests = {
  readonly SETTINGS_OF_WORST_REQUESTS: Readonly<Record<string, string>>;
  readonly WORST_REQUESTS: readonly {
    readonly name: string;
    readonly build: (sent: { readonly n: number; readonly now: number }) => string;
    readonly hops: number;
  }[];
};

/** Null if the connection is closed without an answer. */
async function statusOf(url: string, request: string): Promise<number | null> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const first = new Promise<string>((done) => {
    socket.once('data', (chunk) => done(chunk.toString('latin1')));
    socket.on('error', () => {}).once('close', () => done(''));
  });
  socket.write(request, 'latin1');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(await first) ?? [];
  socket.destroy();
  return status === undefined ? null : Number(status);
}

describe('The worst requests without a key', () => {
  it('cause no 5xx: each is answered, except that bodies in one-byte chunks lose their connection', async () => {
    const { WORST_REQUESTS, SETTINGS_OF_WORST_REQUESTS } =
      await benchModule<WorstRequests>('worst-requests.mjs');
    const failed: string[] = [];
    for (const hops of new Set(WORST_REQUESTS.map((one) => one.hops))) {
      const settings = { ...SETTINGS_OF_WORST_REQUESTS, TRUSTED_PROXY_HOPS: String(hops) };
      const service = await startService(settings);
      const [url = ''] = service.instances.map((instance) => instance.url);
      const sending = WORST_REQUESTS.filter((one) => one.hops === hops).map(async ({ name, build }) => {
        const request = build({ n: 1_000, now: Math.floor(Date.now() / 1_000) });
        const status = await statusOf(url, request);
        // The service closes the connection of a body in one-byte chunks (`received-body.ts`).
        if (status === null ? !name.includes('chunks of a byte') : status >= 500)
          failed.push(`${name}: ${status}`);
      });
      await Promise.all(sending);
      await service.stop();
    }
    expect(failed).to.deep.equal([]);
  }).timeout(60_000);
});
