import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import sinon from 'sinon';
import { accessLog, POLL_HEADER, POLLED_ROUTES } from '../../../src/adapters/http/access-log.js';
import {
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  type LogLine,
  publish,
  requestNews,
} from '../../support/service/composed.js';
import { bareContext } from '../../support/service/middleware.js';
import { type Visitor, visitorOf } from '../../support/service/visitor.js';
import { rawSocket } from '../listener/raw-socket.js';

const isRequest = ({ msg }: LogLine) => msg === 'request';

describe('The duration of a request', () => {
  it('is measured from its start until the response has been sent', async () => {
    const seconds: number[] = [];
    const durations: number[] = [];
    const requestLog = {
      record: ({ duration_ms }: { readonly duration_ms: number }) => durations.push(duration_ms),
      recordPoll: null,
      measure: (_: object, took: number) => seconds.push(took),
      redact: String,
    };
    const now = sinon.stub(performance, 'now').returns(1_000);
    try {
      const ctx = bareContext({});
      ctx.state = { ...ctx.state, path: '/', address: '', trace: null };
      await accessLog(requestLog)(ctx, async () => {});
      now.returns(6_500.123_456);
      ctx.res.emit('close');
    } finally {
      now.restore();
    }
    expect(seconds).to.deep.equal([5.500_123_456]);
    expect(durations).to.deep.equal([5_500.123]);
  });
});

describe('The access log', () => {
  let service: Composed;
  let holder: Holder;
  beforeEach(async () => {
    service = await composed();
    holder = await keyHolder(service);
  });
  afterEach(() => service.stop());

  it('has one line for each request, whatever its result', async () => {
    await publish(service, 'ne_1');
    const news = `${service.url}/pm/v2/news`;
    const { headers } = await requestNews(service, holder.value);
    const answers = [
      await requestNews(service, holder.value, { 'If-None-Match': headers.etag ?? '' }),
      await requestNews(service, 'svc_nobody'),
      await requestNews(service, holder.value, {}, '?limit=0'),
      await ask(news, { method: 'HEAD', headers: bearer(holder.value) }),
      await ask(news, { method: 'OPTIONS' }),
      await ask(news, { method: 'POST' }),
      await ask(`${news}?${'a'.repeat(5_000)}`),
      await ask(`${service.url}/nowhere`),
      await ask(`${service.url}/openapi.json`),
      await ask(`${service.internalUrl}/livez`),
      await ask(`${service.internalUrl}/internal/v1/news`, { method: 'POST' }),
    ];
    await service.stop();

    const lines = service.lines.filter(isRequest);
    expect(lines.map((line) => [line['request_id'], line['status']])).to.have.deep.members([
      [headers['x-request-id'], 200],
      ...answers.map((answer) => [answer.headers['x-request-id'], answer.status]),
    ]);
    expect(new Set(lines.map((line) => line['request_id'])).size).to.equal(12);
    expect(lines.every((line) => line['aborted'] === false)).to.equal(true);
  });

  it('states the caller, the request and the result, and nothing else', async () => {
    const query = '?limit=2&cursor=2026-03-01T00:00:00%2B01:00&color=red&market_id=s%201&mode=x&since=%E9';
    const answer = await requestNews(service, holder.value, { 'X-Request-Id': 'a-request.1' }, query);
    const line = await service.line((logged) => logged['request_id'] === 'a-request.1');

    const { duration_ms, time, ...others } = line;
    expect(duration_ms).to.be.a('number').and.at.least(0);
    expect(String(duration_ms)).to.match(/^\d+(\.\d{1,3})?$/);
    expect(time).to.match(/^\d{4}-.*Z$/);
    expect(others).to.deep.equal({
      level: 30,
      listener: 'public',
      request_id: 'a-request.1',
      method: 'GET',
      path: '/pm/v2/news',
      query: { limit: '2', cursor: '2026-03-01T00:00:00+01:00', market_id: 's 1', mode: 'x' },
      route: '/pm/v2/news',
      status: 400,
      address: '127.0.0.1',
      key_id: holder.key.id,
      aborted: false,
      msg: 'request',
    });
    expect(answer.status).to.equal(400);
  });

  it('has metrics with the route instead of the path, and with “none” for unknown paths', async () => {
    for (const path of ['/one', '/two', '/pm/v2/news/', '/PM/v2/news']) await ask(`${service.url}${path}`);
    await ask(`${service.internalUrl}/internal/v1/accounts/acc_1`, {
      headers: bearer('operator-token-of-the-tests'),
    });
    await service.stop();

    const text = await service.parts.metrics.text();
    expect(text).to.match(
      /_count\{[^}]*listener="public"[^}]*route="none"[^}]*\} 4|_count\{[^}]*route="none"[^}]*listener="public"[^}]*\} 4/,
    );
    expect(text).to.include('route="/internal/v1/accounts/:id"');
    expect(text).not.to.match(/\/one|\/two|acc_1/);
  });

  for (const [id, taken] of [
    ['a-caller.s_id8', true],
    ['A'.repeat(128), true],
    ['short', false],
    ['A'.repeat(129), false],
    ['with space in it', false],
    ['with/slash/in/it', false],
  ] as const) {
    it(`${taken ? 'uses' : 'replaces'} the X-Request-Id “${id.slice(0, 16)}” of ${id.length} characters (D38)`, async () => {
      const answer = await ask(`${service.url}/nowhere`, { headers: { 'X-Request-Id': id } });
      const given = answer.headers['x-request-id'];
      expect(given === id).to.equal(taken);
      expect(given).to.match(/^[A-Za-z0-9._-]{8,128}$/);
      expect(answer.json().request_id).to.equal(given);
      await service.line((line) => line['request_id'] === given);
    });
  }

  it('has one line for a parser error, with the id of the response (D32, D38)', async () => {
    const socket = await rawSocket(service.port);
    socket.send('GARBAGE\r\n\r\n');
    const text = await socket.all();
    await service.stop();

    const [, id] = /X-Request-Id: (\S+)/.exec(text) ?? [];
    const lines = service.lines.filter((line) => line['request_id'] === id);
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['unparsed request']);
    expect(lines[0]).to.include({ status: 400, listener: 'public' });
    expect(service.lines.filter(isRequest)).to.deep.equal([]);
  });
});

describe('The access log of requests that open pages repeat', () => {
  const POLL = { [POLL_HEADER]: '1' };
  const DASHBOARD = resolve(import.meta.dirname, '../../../../src/adapters/dashboard');

  /** The level and the route of each request that `make` sends, in order, with LOG_LEVEL=debug. */
  const levels = async (make: (service: Composed, holder: Holder, visitor: Visitor) => Promise<unknown>) => {
    const service = await composed({ LOG_LEVEL: 'debug' });
    const holder = await keyHolder(service);
    const visitor = await visitorOf(service, holder.account);
    const before = (await service.line(isRequest))['request_id'];
    await make(service, holder, visitor);
    await service.stop();
    const others = service.lines.filter((line) => isRequest(line) && line['request_id'] !== before);
    return others.map(({ level, route }) => [level, route]);
  };

  it('is at level debug; the first request for the page is at info', async () => {
    const seen = await levels(async (_, { key }, visitor) => {
      const ofKey = ['', '/rotation', '/first-request'].map((path) => `/dashboard/keys/${key.id}${path}`);
      for (const path of ['/dashboard/keys', ...ofKey, '/dashboard/subscription', '/dashboard/usage/log']) {
        for (const headers of [{}, POLL]) expect((await visitor.open(path, headers)).status).to.equal(200);
      }
    });
    expect(seen).to.deep.equal(
      [...POLLED_ROUTES].flatMap((route) => [30, 20].map((level) => [level, route])),
    );
  });

  it('is at level info for requests with the header but without a session, or on another route', async () => {
    const seen = await levels(async (service, { value }, visitor) => {
      const paths = ['/dashboard/keys', '/dashboard/sign-in', '/status', '/nowhere'];
      for (const path of paths) await ask(`${service.url}${path}`, { headers: POLL });
      await visitor.open('/dashboard/keys/key_1/rotation', POLL);
      await visitor.post('/dashboard/keys', {}, POLL);
      await requestNews(service, value, POLL);
    });
    expect(seen.map(([level]) => level)).to.deep.equal([30, 30, 30, 30, 30, 30, 30]);
  });

  it('is absent with LOG_LEVEL=info', async () => {
    const service = await composed();
    const visitor = await visitorOf(service, (await keyHolder(service)).account);
    await visitor.open('/dashboard/keys', POLL);
    await service.stop();
    expect(service.lines.filter(isRequest)).to.have.length(1);
  });

  it('covers the header of the scripts, every page with such a script, and the log that one of them asks for', async () => {
    const read = (file: string) => readFileSync(join(DASHBOARD, file), 'utf8');
    for (const script of ['live', 'first-request', 'request-log'])
      expect(read(`browser/${script}.ts`)).to.include(`'${POLL_HEADER}': '1'`);
    const pages = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) => [...read(file).matchAll(/modules=\{\[[^\]]*'(?:live|first-request)\.js'/g)]);
    expect(pages).to.have.length(POLLED_ROUTES.size - 1);
  });
});
