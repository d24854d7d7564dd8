import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { aKey, type KeyView } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const PARENT = '00f067aa0ba902b7';
const traceId = (n: number) => n.toString(16).padStart(32, '0');
const traceParent = (n: number, flags = '01') => `00-${traceId(n)}-${PARENT}-${flags}`;

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
};

/** Answers every request with this status, and keeps what it received. */
async function startReceiver(status: number) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server: Server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

describe('The trace of a request', () => {
  let collector: Receiver;
  let issuer: Receiver;
  const started: Service[] = [];
  let service: Service;
  let client: Client;
  let key: KeyView;
  before(async () => {
    [collector, issuer] = await Promise.all([startReceiver(200), startReceiver(500)]);
    service = await start({ TRACES_PERCENT: '0' });
    client = await Client.of(service);
    key = await aKey(client);
  });
  after(async () => {
    await Promise.all(started.map((one) => one.stop()));
    await Promise.all([collector.stop(), issuer.stop()]);
  });

  const start = async (settings: Readonly<Record<string, string>>) => {
    const one = await startService({
      TRACES_URL: `${collector.url}/v1/traces`,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: 'client',
      OIDC_CLIENT_SECRET: 'secret-of-the-client',
      PUBLIC_URL: 'http://localhost:8080',
      TRUSTED_PROXY_HOPS: '1',
      ...settings,
    });
    started.push(one);
    return one;
  };
  const ask = (path: string, n: number, flags?: string) =>
    send(`${service.instances[0]?.url}${path}`, {
      headers: { 'X-API-Key': key.key, traceparent: traceParent(n, flags) },
    });
  const lines = () =>
    client
      .outputs()
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  const linesOf = (n: number) => lines().filter(({ trace_id: id }) => id === traceId(n));
  const spans = (): readonly Span[] =>
    collector.received.flatMap(({ body }) => {
      type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      const { resourceSpans } = JSON.parse(body) as Sent;
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    });

  it('is in each log line of the request, also if nobody records it, and in none without traceparent', async () => {
    await ask('/pm/v2/news', 1, '00');
    await ask('/nowhere', 2, '00');
    await ask('/pm/v2/news?limit=0', 3, '00');
    await client.news(key.key, '?limit=2');
    await client.news(key.key, '?limit=3', { traceparent: `00-${traceId(0)}-${PARENT}-01` });
    await client.line('"limit":"3"');
    for (const [n, status] of [
      [1, 200],
      [2, 404],
      [3, 400],
    ] as const) {
      const [line, ...more] = linesOf(n);
      expect(line, String(n)).to.include({ status, msg: 'request' });
      expect(line?.['span_id'], String(n)).to.match(/^[0-9a-f]{16}$/);
      expect(line?.['span_id'], String(n)).not.to.equal(PARENT);
      expect(more, String(n)).to.deep.equal([]);
    }
    const without = lines().filter(({ query }) =>
      ['2', '3'].includes((query as { readonly limit?: string } | undefined)?.limit ?? ''),
    );
    expect(without).to.have.length(2);
    for (const line of without) expect(line).not.to.have.property('trace_id');
  });

  it('goes on to the identity provider', async () => {
    const { status } = await ask('/dashboard/sign-in/oidc', 4);
    expect(status).to.equal(503);
    await until(true, async () => linesOf(4).some(({ msg }) => msg === 'request'));
    const [call] = issuer.received;
    expect(call?.headers['traceparent']).to.match(new RegExp(`^00-${traceId(4)}-[0-9a-f]{16}-01$`));
    for (const line of linesOf(4)) expect(line['span_id']).to.equal(linesOf(4)[0]?.['span_id']);
  });

  it('is not recorded because a caller asks for it that no trusted proxy has passed on', async () => {
    const open = await start({ TRUSTED_PROXY_HOPS: '0', TRACES_PERCENT: '0' });
    const headers = { traceparent: traceParent(6) };
    await send(`${open.instances[0]?.url}/pm/v2/news`, { headers });
    const { status } = await send(`${open.instances[0]?.url}/dashboard/sign-in/oidc`, { headers });
    expect(status).to.equal(503);
    await open.stop();
    expect(spans().filter(({ traceId: id }) => id === traceId(6))).to.deep.equal([]);
    const call = issuer.received.find(({ headers: sent }) =>
      String(sent['traceparent']).includes(traceId(6)),
    );
    expect(call?.headers['traceparent']).to.match(/-00$/);
  });

  it('is sent as spans, if the caller records it, and has no key', async () => {
    await ask(`/pm/v2/news?api_key=${key.key}`, 5);
    const [recorded, notRecorded] = [await start({ TRACES_PERCENT: '100' }), service];
    await send(`${recorded.instances[0]?.url}/pm/v2/news`, {});
    await Promise.all([recorded.stop(), notRecorded.stop()]);
    const all = spans();
    const ofTrace = (n: number) => all.filter(({ traceId: id }) => id === traceId(n));
    expect(ofTrace(1)).to.deep.equal([]);
    const [request] = ofTrace(5);
    expect(request).to.include({ name: 'GET /pm/v2/news', kind: 2, parentSpanId: PARENT });
    expect(request?.spanId).to.equal(linesOf(5)[0]?.['span_id']);
    expect(Number(request?.endTimeUnixNano)).to.be.above(Number(request?.startTimeUnixNano));
    const signIn = ofTrace(4);
    const server = signIn.find(({ kind }) => kind === 2);
    const calls = signIn.filter(({ kind }) => kind === 3);
    expect(calls.map(({ parentSpanId }) => parentSpanId)).to.deep.equal(calls.map(() => server?.spanId));
    expect(issuer.received[0]?.headers['traceparent']).to.include(calls[0]?.spanId);
    const begun = all.filter(({ traceId: id }) => !id.startsWith('0000'));
    expect(begun.map(({ name }) => name)).to.include('GET /pm/v2/news');
    expect(begun.some(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId !== '')).to.equal(
      false,
    );
    expect(JSON.stringify(collector.received)).not.to.include(key.key);
  });
});
