import http, { type ServerOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import sinon from 'sinon';
import type { RunDueWork } from '../../../src/application/accounts/run-due-work.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { compose } from '../../../src/composition/compose.js';
import { startService } from '../../../src/process/service.js';
import {
  ask,
  type Composed,
  composed,
  keyHolder,
  requestNews,
  settings,
  signal,
} from '../../support/service/composed.js';
import { rawSocket } from '../listener/raw-socket.js';

describe('The service during shutdown', () => {
  let timers: sinon.SinonFakeTimers;
  let service: Composed;
  beforeEach(async () => {
    service = await composed({ DRAIN_DELAY_MS: '60000' });
    timers = sinon.useFakeTimers({ toFake: ['setTimeout'] });
  });
  afterEach(async () => {
    const stopped = service.stop();
    await timers.runAllAsync();
    await stopped;
    timers.restore();
  });

  it('is alive but not ready, and still answers requests (T8)', async () => {
    expect((await ask(`${service.internalUrl}/readyz`)).status).to.equal(200);
    void service.stop();

    const ready = await ask(`${service.internalUrl}/readyz`);
    expect(ready.status).to.equal(503);
    expect(ready.json<{ status: string }>().status).to.equal('not_ready');
    expect((await ask(`${service.internalUrl}/livez`)).status).to.equal(200);
    const { value } = await keyHolder(service);
    expect((await requestNews(service, value)).status).to.equal(200);
  });

  it('closes the connection with every response, successful or not, on both listeners (T8)', async () => {
    const { value } = await keyHolder(service);
    void service.stop();
    for (const [port, path, status] of [
      [service.port, '/pm/v2/news', 200],
      [service.port, '/nowhere', 404],
      [service.port, '/pm/v2/news?limit=0', 400],
      [service.internalPort, '/readyz', 503],
      [service.internalPort, '/internal/v1/keys/k', 401],
    ] as const) {
      const caller = await rawSocket(port);
      caller.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${value}\r\n\r\n`);
      const text = await caller.all();
      expect(text, path).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text, path).to.match(/^Connection: close\r$/im);
    }
  });

  it('waits for the drain delay, and logs when it drains and when it has stopped (T8)', async () => {
    let gone = false;
    const stopping = service.stop().then(() => {
      gone = true;
    });
    await timers.tickAsync(59_999);
    expect(gone).to.equal(false);
    await timers.tickAsync(1);
    await stopping;
    const lines = service.lines.map(({ msg }) => msg).filter((msg) => msg !== 'request');
    expect(lines).to.deep.equal(['listening', 'draining', 'stopped']);
  });

  it('keeps connections open before the shutdown', async () => {
    const caller = await rawSocket(service.port);
    caller.send('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await caller.until('not_found');
    expect(caller.received()).to.match(/^Connection: keep-alive\r$/im);
    caller.socket.destroy();
  });
});

/** Due work that calls `once`. */
const dueWork = (once: () => Promise<void>): RunDueWork => ({ once, untilDone: once }) as RunDueWork;

describe('The background work', () => {
  let timers: sinon.SinonFakeTimers;
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => timers.restore());

  it('runs due work every 5 s until the service stops', async () => {
    let runs = 0;
    const once = async () => {
      runs += 1;
    };
    const service = await composed({}, () => ({ runDueWork: () => dueWork(once) }));
    await timers.tickAsync(15_000);
    expect(runs).to.equal(3);
    await service.stop();
    await timers.tickAsync(15_000);
    expect(runs).to.equal(3);
  });

  it('reports a run that fails, and tries again with the next', async () => {
    const service = await composed({}, () => ({
      runDueWork: () => dueWork(() => Promise.reject(new Error('the store is away'))),
    }));
    await timers.tickAsync(10_000);
    await service.stop();
    const reports = service.lines.filter(({ msg }) => msg === 'due work failed');
    expect(reports.map((line) => (line['err'] as { message: string }).message)).to.deep.equal([
      'the store is away',
      'the store is away',
    ]);
  });

  it('logs nothing about work that waits for a dependency, whose state has its own log line', async () => {
    const service = await composed({}, () => ({
      runDueWork: () => dueWork(() => Promise.reject(new Unavailable('Postgres'))),
    }));
    await timers.tickAsync(10_000);
    await service.stop();
    expect(service.lines.filter(({ msg }) => msg === 'due work failed')).to.deep.equal([]);
  });

  it('never runs twice at once', async () => {
    let runs = 0;
    const release = signal();
    const once = () => {
      runs += 1;
      return release.sent;
    };
    const service = await composed({}, () => ({ runDueWork: () => dueWork(once) }));
    await timers.tickAsync(20_000);
    expect(runs).to.equal(1);
    release.send();
    await timers.tickAsync(5_000);
    expect(runs).to.equal(2);
    await service.stop();
  });
});

describe('The service at its start', () => {
  it('sets tighter limits than Node: 10 s for a header, 15 s or 600 s for a request (T9, D30)', async () => {
    const created = sinon.spy(http, 'createServer');
    syncBuiltinESMExports();
    try {
      const service = await composed();
      await service.stop();
    } finally {
      created.restore();
      syncBuiltinESMExports();
    }
    const common = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, keepAliveTimeout: 65_000 };
    const limits = created.args.map(([options]) => {
      const { IncomingMessage: _, ...others } = options as ServerOptions;
      return others;
    });
    expect(limits).to.deep.equal(
      [600_000, 15_000].map((requestTimeout) => ({ ...common, requestTimeout, requireHostHeader: false })),
    );
  });

  it('opens no listener if it cannot open both', async () => {
    const other = await composed();
    const free = await composed();
    await free.stop();
    const config = settings({
      PORT: String(other.port),
      INTERNAL_PORT: String(free.internalPort),
      LOG_LEVEL: 'silent',
    });
    try {
      const fault = await startService(await compose(config), config).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(String(fault)).to.include(`PORT ${other.port} is in use on 127.0.0.1`);
      const refused = await rawSocket(free.internalPort).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(refused).to.include({ code: 'ECONNREFUSED' });
    } finally {
      await other.stop();
    }
  });

  it('closes its components in reverse order of creation, after the last request', async () => {
    const closed: string[] = [];
    const service = await composed({}, (parts, { closing }) => {
      for (const name of ['database', 'cache']) {
        closing(async () => {
          closed.push(`${name}, draining: ${parts.lifecycle.isDraining()}`);
          parts.log.info(`closed ${name}`);
        });
      }
      return {};
    });
    await service.stop();
    expect(closed).to.deep.equal(['cache, draining: true', 'database, draining: true']);
    expect(service.lines.map(({ msg }) => msg)).to.deep.equal([
      'listening',
      'draining',
      'closed cache',
      'closed database',
      'stopped',
    ]);
  });
});
