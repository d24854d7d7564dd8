import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { stripeClient, stripePortal } from '../../../src/adapters/stripe/stripe-processor.js';
import { withinTrace } from '../../../src/adapters/tracing/current-trace.js';
import { type EndedSpan, requestTraces } from '../../../src/adapters/tracing/request-traces.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('A call of Stripe', () => {
  it('has the trace of the request that is being answered, and is a span of it', async () => {
    const received: IncomingHttpHeaders[] = [];
    const server = createServer(({ headers }, response) => {
      received.push(headers);
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end('{"id":"cus_1","email":"a@b.example"}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const spans: EndedSpan[] = [];
    const begin = requestTraces({ percent: 0, trustsCallers: true, record: (span) => void spans.push(span) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const portal = stripePortal(stripeClient('sk_test_of_the_tests', url));
    const trace = begin(`00-${TRACE}-00f067aa0ba902b7-01`);
    expect(await withinTrace(trace, () => portal.emailOf('cus_1'))).to.equal('a@b.example');
    expect(await withinTrace(begin(undefined), () => portal.emailOf('cus_1'))).to.equal('a@b.example');
    server.closeAllConnections();
    server.close();
    expect(received).to.have.length(2);
    const [span] = spans;
    expect(spans).to.have.length(1);
    expect(received[0]?.['traceparent']).to.equal(`00-${TRACE}-${span?.context.spanId}-01`);
    expect(received[1]).not.to.have.property('traceparent');
    expect(span).to.include({ kind: 'client', parentSpanId: trace?.spanId, isError: false });
    expect(JSON.stringify(span)).not.to.include('cus_1').and.not.to.include('sk_test');
  });
});
