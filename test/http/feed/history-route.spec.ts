import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import type { ExportRequest } from '../../../src/adapters/http/feed/history/history-exports.js';
import { historyRoute } from '../../../src/adapters/http/feed/history/history-route.js';
import type { RouteContext, State } from '../../../src/adapters/http/state.js';
import { listenerLog } from '../../../src/adapters/system/listener-log.js';
import { refuse } from '../../../src/domain/refusal.js';
import { NOON } from '../../support/objects/builders.js';
import { REFERENCES } from '../../support/objects/problem-references.js';

const POSITION = { n: 1, mark: '0123456789abcdef' };

describe('The route of the history, with lines that break off', () => {
  let server: Server;
  let lines: Readable;
  let asked: ExportRequest;
  /** What the log has. */
  const reported: unknown[] = [];
  const logger = {
    child: () => logger,
    isLevelEnabled: () => false,
    error: ({ err }: { readonly err: unknown }) => reported.push(err),
  };

  before(async () => {
    const admitted = { admitted: true, key: 'k', limits: [], subscription: 's', plan: 'pro' };
    const route = historyRoute({
      admitSentKey: async () => admitted,
      sentKeys: { of: () => ({ hash: 'h' }) },
      refund: async () => [],
      takeReplayPermit: async () => 'granted',
      working: { enter: () => true, leave: () => {} },
      readHistory: { range: async () => ({ after: POSITION, until: POSITION }) },
      historyExports: {
        open: async (request: ExportRequest) => {
          asked = request;
          return lines;
        },
      },
      count: { clock: () => NOON, note: () => {} },
    } as unknown as Parameters<typeof historyRoute>[0]);
    const app = new Koa<State>();
    const parts = { log: logger, keyFormat: {}, metrics: {} } as unknown as Parameters<typeof listenerLog>[0];
    app.on('error', listenerLog(parts, 'public').onError);
    app.use(async (ctx, next) => {
      Object.assign(ctx.state, { address: '127.0.0.1', references: REFERENCES });
      await route(ctx as unknown as RouteContext, next);
    });
    server = createServer(app.callback());
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** A response of which the lines have begun. */
  const begun = async (encoding: string): Promise<IncomingMessage> => {
    lines = new Readable({ read() {} });
    lines.push('{"a":1}\n'.repeat(10_000));
    const { port } = server.address() as AddressInfo;
    const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': encoding };
    const [response] = await once(get({ port, headers }), 'response');
    await once(response.resume(), 'data');
    return response;
  };

  it('ends with a line that says after how many seconds to continue, or null if that would be refused', async () => {
    (await begun('identity')).destroy();
    const paused = (why: Parameters<ExportRequest['pausedLine']>[1]) => {
      const line = JSON.parse(asked.pausedLine(POSITION, why));
      return [line.type, line.retry_after_seconds, line.problem?.code ?? null];
    };
    expect(paused('restart')).to.deep.equal(['paused', 2, null]);
    expect(paused('unavailable')).to.deep.equal(['paused', 5, 'unavailable']);
    const limited = { refused: 'rate_limited', violated: ['minute'], retryAfterSeconds: 42 } as const;
    expect(paused(limited)).to.deep.equal(['paused', 42, 'rate_limited']);
    expect(paused(refuse('key_revoked'))).to.deep.equal(['paused', null, 'key_revoked']);
    await once(lines, 'close');
  });

  it('sends a short line at once, also compressed: it may be the only one for a while', async () => {
    lines = new Readable({ read() {} });
    lines.push('{"type":"progress"}\n');
    const { port } = server.address() as AddressInfo;
    const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' };
    const [response] = await once(get({ port, headers }), 'response');
    const [line] = await once(response.pipe(createGunzip()), 'data');
    expect(String(line)).to.equal('{"type":"progress"}\n');
    lines.destroy();
    await once(response, 'error');
  });

  for (const encoding of ['identity', 'gzip']) {
    it(`cuts its response at a fault of the store, and reports it: ${encoding}`, async () => {
      const response = await begun(encoding);
      const fault = new Error('a fault of the store');
      lines.destroy(fault);
      const [error] = await once(response, 'error');
      expect(error).to.include({ code: 'ECONNRESET' });
      expect(response.headers['content-encoding'] ?? 'identity').to.equal(encoding);
      expect(new Set(reported.splice(0))).to.deep.equal(new Set([fault]));
    });

    it(`cuts its response when the lines are given up, as for a client that reads nothing: ${encoding}`, async () => {
      const response = await begun(encoding);
      lines.destroy();
      expect((await once(response, 'error'))[0]).to.include({ code: 'ECONNRESET' });
    });

    it(`gives the lines up when the client goes away, which is no error in the log: ${encoding}`, async () => {
      (await begun(encoding)).destroy();
      await once(lines, 'close');
      expect(reported).to.deep.equal([]);
    });
  }
});
