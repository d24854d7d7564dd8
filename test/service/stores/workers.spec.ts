import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { isAlive } from '../../../src/adapters/postgres-server/supervised-process.js';
import { traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, ids, ndjson, startOfMinute } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  type Service,
  spawnMain,
  startService,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const WORKERS = 2;

/** Whether the supervisor has started a worker, which it does once it handles signals. */
const hasWorker = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim() !== '';

/** `WEB_CONCURRENCY`: several processes on one port under a supervisor (D43). */
describe('Several workers', function () {
  this.timeout(60_000);
  let service: Service | undefined;
  let client: Client;
  let supervisor: Instance;
  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const shared = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
    service = await startService({ ...shared, WEB_CONCURRENCY: String(WORKERS), ...settings });
    [supervisor] = service.instances as [Instance];
    client = await Client.of(service);
  };
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  type Line = { readonly msg: string; readonly worker?: number; readonly pid?: number };
  const lines = () =>
    supervisor.output.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
  /** The process ids of the workers, in the order in which they started to serve. */
  const processes = () =>
    lines().flatMap(({ msg, pid }) => (msg === 'a worker accepts requests' && pid ? [pid] : []));
  const ask = (key: string) =>
    send(`${supervisor.url}/pm/v2/news?limit=2`, { headers: { 'X-API-Key': key } });
  const metric = async (name: string) => {
    const { text: all } = await send(`${supervisor.internalUrl}/metrics`, {});
    const samples = all.split('\n').filter((line) => line.startsWith(name));
    return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const newsRequests = () =>
    metric(
      'http_server_request_duration_seconds_count{listener="public",method="GET",route="/pm/v2/news",status="200"}',
    );
  const workersHealth = async () => {
    const { json } = await send(`${supervisor.internalUrl}/readyz`, {});
    const { parts } = json as { parts: readonly { part: string; state: string; words: string }[] };
    return parts.find(({ part }) => part === 'workers');
  };

  it('serve one port, share the load, and act as one service', async () => {
    await start();
    expect(supervisor.output.filter((line) => line.startsWith('Oddswire listens on'))).to.have.length(1);
    const { key } = await aKey(client, 'pro');
    await client.publish(ndjson([publication({ id: 'ne_1' }), publication({ id: 'ne_2' })]));
    while ((await metric('oddswire_feed_version')) < 2) await new Promise((done) => setTimeout(done, 5));
    for (let i = 0; i < 30; i += 1) expect(ids(await ask(key))).to.have.members(['ne_1', 'ne_2']);
    await supervisor.line('"msg":"request"', 30);
    const served = lines().flatMap(({ msg, worker }) => (msg === 'request' ? [worker] : []));
    expect(new Set(served)).to.deep.equal(new Set([1, 2]));
    expect(await workersHealth()).to.deep.include({ state: 'up' });
    expect((await workersHealth())?.words).to.match(/^2 of 2 workers accept requests; this is worker [12]$/);
  });

  it('together admit exactly the quota (D35), and each return the metrics of all workers', async () => {
    await start();
    const { key: free } = await aKey(client, 'free');
    await startOfMinute(client);
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask(free)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(60);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(60);

    const { key } = await aKey(client, 'pro');
    for (const asked of [70, 80, 90]) {
      for (let i = 0; i < 10; i += 1) await ask(key);
      for (let times = 0; times < 5; times += 1) expect(await newsRequests()).to.equal(asked);
    }
    expect(await metric('oddswire_dependency_up{dependency="Postgres"}')).to.equal(1);
    // One event listener for each call would have caused this warning.
    expect(supervisor.output.join('\n')).not.to.include('MaxListenersExceededWarning');
    expect(await metric('process_resident_memory_bytes')).to.be.above(WORKERS * 40_000_000);
  });

  it('work on when one is killed, and the supervisor replaces it', async () => {
    await start({ RATE_LIMIT_PRO_MINUTE: '1000000' });
    const { key } = await aKey(client, 'pro');
    const load = traffic(4, () => ({
      url: `${supervisor.url}/pm/v2/news?limit=1`,
      headers: { 'X-API-Key': key },
      kind: 'news',
    }));
    const [victim = 0] = processes();
    process.kill(victim, 'SIGKILL');
    await supervisor.line('a worker exited unexpectedly (SIGKILL); starting another');
    await supervisor.line('"a worker accepts requests"', WORKERS + 1);
    const seen = await load.stop();
    // Only the requests of the killed worker fail.
    for (const [answer, { count }] of Object.entries(seen)) {
      if (answer.includes('200')) expect(count).to.be.above(10);
      else expect(count, answer).to.be.at.most(4);
    }
    expect(processes()).to.have.length(WORKERS + 1);
    expect(await workersHealth()).to.deep.include({ state: 'up' });
    expect((await ask(key)).status).to.equal(200);
  });

  it('are replaced when all are killed at once, and their counters never decrease', async () => {
    await start();
    const { key } = await aKey(client, 'pro');
    for (let i = 0; i < 20; i += 1) await ask(key);
    expect(await newsRequests()).to.equal(20);
    for (const pid of processes()) process.kill(pid, 'SIGKILL');
    await supervisor.line('"a worker accepts requests"', 2 * WORKERS);
    expect(await workersHealth()).to.deep.include({ state: 'up' });
    expect(await newsRequests()).to.equal(20);
    for (let i = 0; i < 5; i += 1) expect((await ask(key)).status).to.equal(200);
    expect(await newsRequests()).to.equal(25);
  });

  it('shut down cleanly if every process gets SIGTERM at once (T8)', async () => {
    await start({ DRAIN_DELAY_MS: '500' });
    const exit = once(supervisor.process, 'exit');
    for (const pid of [...processes(), supervisor.process.pid ?? 0]) process.kill(pid, 'SIGTERM');
    await supervisor.line('"msg":"draining"', WORKERS);
    expect((await send(`${supervisor.url}/pm/v2/news`, {})).status).to.equal(401);
    expect(await exit).to.deep.equal([0, null]);
    await supervisor.line('"msg":"stopped"', WORKERS);
  });

  it('exit with 0 on SIGTERM before they serve', async () => {
    const settings = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
    const launched = launchInstance({ ...settings, WEB_CONCURRENCY: '2' });
    const exit = once(launched.process, 'exit');
    await until(true, () => hasWorker(launched.process.pid ?? 0));
    launched.process.kill('SIGTERM');
    expect(await exit).to.deep.equal([0, null]);
  });

  it('shut down cleanly: they answer while draining, and leave no process (T8)', async () => {
    await start({ DRAIN_DELAY_MS: '500' });
    const pids = processes();
    const { key } = await aKey(client, 'pro');
    const exit = once(supervisor.process, 'exit');
    supervisor.process.kill('SIGTERM');
    await supervisor.line('"msg":"draining"', WORKERS);
    expect((await send(`${supervisor.internalUrl}/readyz`, {})).status).to.equal(503);
    const answer = await ask(key);
    expect([answer.status, answer.headers['connection']]).to.deep.equal([200, 'close']);
    expect(await exit).to.deep.equal([0, null]);
    await supervisor.line('"msg":"stopped"', WORKERS);
    expect(pids.some(isAlive)).to.equal(false);
  });

  it('exit when their supervisor is killed', async () => {
    await start();
    const pids = processes();
    const exit = once(supervisor.process, 'exit');
    supervisor.process.kill('SIGKILL');
    await exit;
    while (pids.some(isAlive)) await new Promise((done) => setTimeout(done, 20));
  });

  it('exit immediately on a second SIGTERM to their supervisor (T8)', async () => {
    await start({ DRAIN_DELAY_MS: '60000' });
    const pids = processes();
    const exit = once(supervisor.process, 'exit');
    supervisor.process.kill('SIGTERM');
    await supervisor.line('draining');
    supervisor.process.kill('SIGTERM');
    expect(await exit).to.deep.equal([1, null]);
    while (pids.some(isAlive)) await new Promise((done) => setTimeout(done, 20));
  });

  it('report once why they cannot start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const settings = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
    const child = spawnMain({
      ...settings,
      WEB_CONCURRENCY: '2',
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: '0',
      OPERATOR_TOKEN: 'operator-token-of-the-tests',
      PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
    });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(output).to.match(
      new RegExp(`^oddswire: cannot start: PORT ${port} is in use on 127.0.0.1: .*\n$`),
    );
    expect(code).to.equal(1);
    other.close();
  });
});
