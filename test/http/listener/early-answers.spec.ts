import { Agent, request } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Replacement } from '../../../src/composition/compose.js';
import { publication, runs } from '../../support/objects/builders.js';
import { bearer, type Composed, composed } from '../../support/service/composed.js';

const KILOBYTE = 1_024;
/** Bytes of a body that are read after an early response on the public listener (`service.ts`). */
const DRAINED = 256 * KILOBYTE;

type Route = { readonly isInternal: boolean; readonly method: string; readonly path: string };
const route = (isInternal: boolean, method: string, path: string): Route => ({ isInternal, method, path });

const ROUTES: readonly Route[] = [
  ...['/pm/v2/news', '/pm/v2/usage', '/status', '/openapi.json', '/nowhere', '/dashboard/sign-in'].flatMap(
    (path) => ['GET', 'POST', 'OPTIONS', 'DELETE'].map((method) => route(false, method, path)),
  ),
  ...['/webhooks/stripe', '/operator/sign-in', '/dashboard/sign-out', '/operator'].map((path) =>
    route(false, 'POST', path),
  ),
  ...[
    '/internal/v1/news',
    '/internal/v1/news?mode=none',
    '/internal/v1/accounts',
    '/internal/v1/nowhere',
  ].map((path) => route(true, 'POST', path)),
  ...['/internal/v1/accounts/acc_1/hold', '/internal/v1/keys/key_1/revoke', '/livez', '/metrics'].map(
    (path) => route(true, 'POST', path),
  ),
  route(true, 'GET', '/internal/v1/accounts/acc_1'),
  route(true, 'DELETE', '/internal/v1/news/ne_1'),
];

const TOKENS = ['publisher-token', 'operator-token-of-the-tests', 'nobody'] as const;
const TYPES = [
  'application/x-ndjson',
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
] as const;

const failing = <Port extends object>(): Port =>
  new Proxy({} as Port, { get: () => () => Promise.reject(new Unavailable('the store')) });

const unavailable: Replacement = () => ({
  accounts: () => failing(),
  gate: () => failing(),
  feed: () => failing(),
  counters: () => failing(),
  inbox: () => failing(),
  sessions: () => failing(),
});

const STATES: Readonly<Record<string, () => Promise<Composed>>> = {
  'while all stores work': () => composed({ STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' }),
  'while every store is unavailable': () =>
    composed({ STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' }, unavailable),
  'while it drains': async () => {
    const service = await composed();
    service.parts.lifecycle.drain();
    return service;
  },
};

type Sent = {
  readonly route: Route;
  readonly token: string;
  readonly type: string;
  readonly bytes: number;
  readonly isChunked: boolean;
  readonly line: string;
};

const LINES = ['\n', '{}\n', `${'x'.repeat(500)}\n`, 'a', `${JSON.stringify(publication({ id: 'ne_1' }))}\n`];

const sending: fc.Arbitrary<Sent> = fc.record({
  route: fc.constantFrom(...ROUTES),
  token: fc.constantFrom(...TOKENS),
  type: fc.constantFrom(...TYPES),
  bytes: fc.oneof(fc.nat(200), fc.nat(200 * KILOBYTE), fc.nat(4 * DRAINED)),
  isChunked: fc.boolean(),
  line: fc.constantFrom(...LINES),
});

/** The status of the response, or the error code of the connection. */
const ask = (
  agent: Agent,
  url: string,
  { route: { method, path }, token, type, bytes, isChunked, line }: Sent,
): Promise<number | string> =>
  new Promise((done) => {
    const body = Buffer.alloc(bytes, line);
    const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(bytes) };
    const headers = { ...bearer(token), 'Content-Type': type, ...(bytes > 0 && framing) };
    const asking = request(`${url}${path}`, { agent, method, headers });
    asking.once('response', (answer) => {
      answer.resume().once('close', () => done(answer.statusCode ?? 0));
    });
    asking.once('error', (fault: NodeJS.ErrnoException) => done(fault.code ?? fault.message));
    asking.end(bytes > 0 ? body : undefined);
  });

const PROBE = { token: '', type: 'text/plain', bytes: 0, isChunked: false, line: '\n' };

describe('A request with a body of any size', () => {
  for (const [state, start] of Object.entries(STATES)) {
    it(`is answered ${state}, and does not block the next request on its connection (T18)`, async function () {
      this.timeout(60_000);
      const service = await start();
      try {
        await fc.assert(
          fc.asyncProperty(sending, async (sent) => {
            const agent = new Agent({ keepAlive: true, maxSockets: 1 });
            const url = sent.route.isInternal ? service.internalUrl : service.url;
            const first = await ask(agent, url, sent);
            const probe = route(
              sent.route.isInternal,
              'GET',
              sent.route.isInternal ? '/livez' : '/openapi.json',
            );
            const second = await ask(agent, url, { ...PROBE, route: probe });
            agent.destroy();
            // Beyond the drained bytes the connection is closed, maybe before the client has read the response.
            if (sent.bytes <= DRAINED) expect(first, 'the request').to.be.a('number');
            if (typeof first === 'number')
              expect([200, 'ECONNRESET', 'EPIPE'], 'the next').to.include(second);
          }),
          runs(60),
        );
      } finally {
        await service.stop();
      }
    });
  }
});
