import { expect } from 'chai';
import { isOpen } from '../../support/servers/open-port.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { redisUrl } from '../../support/servers/stores.js';
import { problem } from '../../support/service/api-calls.js';
import { type Reply, send } from '../../support/service/client.js';
import { type Launched, launchInstance } from '../../support/service/running-service.js';

const AUTHORIZED = { headers: { Authorization: 'Bearer operator-token-of-the-tests' } };

type Readiness = { readonly status: string; readonly parts: readonly { readonly words: string }[] };

describe('While Postgres is unavailable', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let launched: Launched;
  let url: string;
  let internalUrl: string;
  beforeEach(async () => {
    postgres = await startTestPostgres();
  });
  afterEach(async () => {
    await launched.stop();
    await postgres.stop();
  });

  const launch = async (workers: number) => {
    const [port, internalPort] = [await reservedPort(), await reservedPort()];
    [url, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`];
    launched = launchInstance({
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl(),
      WEB_CONCURRENCY: String(workers),
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
    });
  };
  const readiness = ({ status, json }: Reply) => [status, (json as Readiness).status] as const;

  for (const workers of [1, 2]) {
    const subject = workers === 1 ? 'a starting service' : `a starting service of ${workers} workers`;

    it(`${subject} is not ready but live, answers 503 otherwise, and starts when Postgres returns`, async () => {
      await postgres.kill();
      await launch(workers);
      await launched.line('waiting for Postgres', workers);
      const ready = await send(`${internalUrl}/readyz`, {});
      expect(readiness(ready)).to.deep.equal([503, 'not_ready']);
      const [{ words }, ...others] = (ready.json as Readiness).parts as [{ words: string }];
      expect(words).to.match(/^waiting for Postgres: /);
      expect(others).to.deep.equal([]);
      expect((await send(`${internalUrl}/livez`, {})).status).to.equal(200);
      const metrics = await send(`${internalUrl}/metrics`, {});
      expect(metrics.status).to.equal(200);
      // The supervisor sums up serving workers only.
      if (workers === 1) expect(metrics.text).to.match(/^oddswire_ready 0$/m);
      else expect(metrics.text).not.to.include('oddswire_ready');
      for (const path of ['/internal/v1/keys/none', '/nowhere']) {
        const refused = await send(`${internalUrl}${path}`, AUTHORIZED);
        expect([refused.status, problem(refused).code], path).to.deep.equal([503, 'unavailable']);
        expect(refused.text).to.include('waiting for Postgres');
        expect(refused.headers['retry-after']).to.equal('1');
      }
      expect(await isOpen(url)).to.equal(false);

      await postgres.restart();
      await launched.line('Oddswire listens on');
      expect(readiness(await send(`${internalUrl}/readyz`, {}))).to.deep.equal([200, 'ready']);
      expect((await send(`${internalUrl}/internal/v1/keys/none`, AUTHORIZED)).status).to.equal(404);
      expect((await send(`${url}/pm/v2/news`, {})).status).to.equal(401);
    });

    it(`${subject} exits with code 0 on SIGTERM`, async () => {
      await postgres.kill();
      await launch(workers);
      await launched.line('waiting for Postgres', workers);
      expect(await launched.stop()).to.equal(0);
      expect(await isOpen(internalUrl)).to.equal(false);
      await postgres.restart();
    });
  }

  it('a restarting worker does not answer on the internal port; the serving workers do', async () => {
    await launch(2);
    await launched.line('Oddswire listens on');
    await postgres.kill();
    await launched.line('Postgres cannot be used', 2);
    const { pid } = JSON.parse(await launched.line('"a worker accepts requests"')) as {
      readonly pid: number;
    };
    process.kill(pid, 'SIGKILL');
    await launched.line('waiting for Postgres');
    for (let i = 0; i < 20; i += 1)
      expect(readiness(await send(`${internalUrl}/readyz`, {}))).to.deep.equal([200, 'degraded']);
    await postgres.restart();
    await launched.line('"a worker accepts requests"', 3);
  });
});
