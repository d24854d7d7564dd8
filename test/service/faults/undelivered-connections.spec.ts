import { expect } from 'chai';
import { rawSocket } from '../../http/listener/raw-socket.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { ask } from '../../support/service/composed.js';
import { type Instance, type Service, startService } from '../../support/service/running-service.js';

const WORKERS = 2;
const KILLS = process.env['DEEP'] ? 6 : 3;

/** Connections that the supervisor handed to a worker that died before it accepted them (T23). */
describe('A connection handed to a killed worker', function () {
  // Less than the 75 s for which it would stay open in the supervisor.
  this.timeout(60_000);
  let service: Service;
  let supervisor: Instance;
  beforeEach(async () => {
    service = await startService({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      WEB_CONCURRENCY: String(WORKERS),
    });
    [supervisor] = service.instances as [Instance];
  });
  afterEach(() => service.stop());

  /** The process id in the nth line that reports a started worker. */
  const worker = async (starts: number): Promise<number> =>
    (JSON.parse(await supervisor.line('"a worker accepts requests"', starts)) as { readonly pid: number })
      .pid;

  /** Sends a request on a new connection. `answered` is whether an answer came before the connection closed. */
  const request = async (url: string, path: string) => {
    const caller = await rawSocket(Number(new URL(url).port));
    caller.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return { answered: caller.all().then((text) => text !== '') };
  };

  /** Resolves when `count` of the requests are answered or closed. */
  const settled = (requests: readonly { readonly answered: Promise<boolean> }[], count: number) =>
    new Promise<void>((done) => {
      let left = count;
      const settle = () => {
        left -= 1;
        if (left === 0) done();
      };
      for (const { answered } of requests) void answered.then(settle);
    });

  for (const [listener, path] of [
    ['url', '/status'],
    ['internalUrl', '/livez'],
  ] as const) {
    it(`to the ${listener === 'url' ? 'public' : 'internal'} listener is closed and does not hang`, async () => {
      const victim = await worker(1);
      process.kill(victim, 'SIGSTOP');
      // Connections are handed out round-robin. The stopped worker accepts none and gets no second one.
      const sending = Array.from({ length: 2 * WORKERS }, () => request(supervisor[listener], path));
      const requests = await Promise.all(sending);
      await settled(requests, requests.length - 1);
      process.kill(victim, 'SIGKILL');
      const outcomes = await Promise.all(requests.map(({ answered }) => answered));
      expect(outcomes.filter((isAnswered) => !isAnswered)).to.have.length(1);
    });
  }

  it('never stays open while workers are killed repeatedly under load', async () => {
    let isOver = false;
    const seen = new Set<number | 'closed'>();
    const caller = async () => {
      while (!isOver) {
        const status = await ask(`${supervisor.url}/status`).then(
          (answer) => answer.status,
          () => 'closed' as const,
        );
        seen.add(status);
      }
    };
    const callers = Array.from({ length: 16 }, caller);
    for (let kills = 0; kills < KILLS; kills += 1) {
      process.kill(await worker(kills + 1), 'SIGKILL'); // The oldest worker.
      await supervisor.line('"a worker accepts requests"', WORKERS + kills + 1);
    }
    isOver = true;
    await Promise.all(callers);
    expect([...seen]).to.include(200);
    expect([...seen].filter((outcome) => outcome !== 200 && outcome !== 'closed')).to.deep.equal([]);
  });

  it('has the address of its client in the request log', async () => {
    await ask(`${supervisor.url}/status`);
    expect(await supervisor.line('"msg":"request"')).to.include('"address":"127.0.0.1"');
  });
});
