import { expect } from 'chai';
import type { KeyControls } from '../../../src/domain/keys/key-controls.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { Label } from '../../../src/domain/keys/label.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { HOUR, plus, SECOND } from '../../../src/domain/moment.js';
import { asking, eventStream, webSocketTo } from '../../support/live/stream-callers.js';
import { accepted } from '../../support/objects/builders.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  type Holder,
  keyHolder,
  type Problem,
  requestNews,
  START,
} from '../../support/service/composed.js';
import { newsService } from '../../support/service/middleware.js';

const ALLOWED = '203.0.113.7';
const ELSEWHERE = '198.51.100.9';
const ALLOWLIST = ['203.0.113.0/24', '2001:db8::7'] as Network[];
const END = plus(START, HOUR);

type Headers = Readonly<Record<string, string>>;

describe('A key with controls (D72)', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    ({ service } = await newsService(['ne_1', 'ne_2'], {
      TRUSTED_PROXY_HOPS: '1',
      ANONYMOUS_PER_MINUTE: '100000',
    }));
  });
  beforeEach(async () => {
    holder = await keyHolder(service);
  });
  afterEach(() => {
    service.clock.at = START;
  });
  after(() => service.stop());

  const edit = async (controls: Partial<KeyControls>, label: Label | null = null) =>
    accepted(
      await service.parts.editKey(
        holder.key.id,
        { label, controls: { ...NO_CONTROLS, ...controls } },
        'customer',
      ),
    );
  const from = (address: string, of: Holder = holder): Headers => ({
    ...bearer(of.value),
    'X-Forwarded-For': address,
  });
  const get = (path: string, headers: Headers, more: Headers = {}) =>
    ask(`${service.url}${path}`, { headers: { ...headers, ...more } });
  const agent = (headers: Headers, method: string, params: object = {}) =>
    ask(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const json = { Accept: 'application/json' };

  /** Every call that takes a key. */
  const calls: Readonly<Record<string, (headers: Headers) => Promise<Pick<Answer, 'status' | 'body'>>>> = {
    'a page': (headers) => get('/pm/v2/news', headers),
    'a page through Koa': (headers) =>
      get('/pm/v2/news?limit=1', headers, { Origin: 'https://a.example', Expect: '' }),
    'a page of the past': (headers) => get('/pm/v2/news?as_of=9999-01-01', headers),
    'an event stream': async (headers) => {
      const { status, text, close, ended } = await eventStream(service, headers);
      if (status !== 200) await ended;
      close();
      return { status, body: Buffer.from(text()) };
    },
    'a WebSocket': (headers) =>
      get('/pm/v2/stream', headers, { ...asking.websocket(), 'Sec-WebSocket-Version': '13' }),
    'a batch': (headers) => get('/pm/v2/stream', headers, json),
    'a batch at its own path': (headers) => get('/pm/v2/changes', headers),
    'a page of the history': (headers) => get('/pm/v2/history', headers, json),
    'lines of the history': (headers) => get('/pm/v2/history', headers, { Accept: 'application/x-ndjson' }),
    'the markets': (headers) => get('/pm/v2/markets', headers),
    'the usage': (headers) => get('/pm/v2/usage', headers),
    'the usage of the past': (headers) => get('/pm/v2/usage/history', headers),
    'the key': (headers) => get('/pm/v2/key', headers),
    'a tool': (headers) => agent(headers, 'tools/call', { name: 'search_news', arguments: {} }),
    'the list of tools': (headers) => agent(headers, 'tools/list'),
  };
  /** A request with these headers would open a WebSocket. */
  const refusedOnly = ['a WebSocket'];

  for (const [name, call] of Object.entries(calls)) {
    it(`is refused for ${name} from elsewhere, with the address, and served from an allowed one`, async () => {
      await edit({ allowlist: ALLOWLIST });
      const { status, body } = await call(from(ELSEWHERE));
      const problem = JSON.parse(String(body)) as Problem;
      expect([status, problem.code]).to.deep.equal([403, 'address_not_allowed']);
      expect(problem.detail).to.include(ELSEWHERE).and.include('dashboard');
      if (refusedOnly.includes(name)) return;
      expect((await call(from(ALLOWED))).status).to.equal(200);
      expect((await call(from('2001:db8::7'))).status).to.equal(200);
    });

    it(`is refused for ${name} from its expiry on, like a revoked key`, async () => {
      await edit({ expiresAt: END });
      if (!refusedOnly.includes(name)) expect((await call(from(ALLOWED))).status).to.equal(200);
      service.clock.at = END;
      const { status, body } = await call(from(ALLOWED));
      expect([status, (JSON.parse(String(body)) as Problem).code]).to.deep.equal([401, 'key_revoked']);
    });
  }

  it('gets the headers of its plan with a 403, and uses no quota', async () => {
    await edit({ allowlist: ALLOWLIST });
    const { headers } = await get('/pm/v2/news', from(ELSEWHERE));
    expect(headers['ratelimit']).to.match(/^"minute";r=3000;t=\d+, "day";r=1000000;t=\d+$/);
    const usage = await get('/pm/v2/usage', from(ALLOWED));
    expect(usage.json<{ limits: { used: number }[] }>().limits.map(({ used }) => used)).to.deep.equal([0, 0]);
  });

  it('shows its own limits in the headers and in the usage, and is told which of them refused', async () => {
    await edit({ limits: { perMinute: 2, perDay: 1_000 } });
    const first = await requestNews(service, holder.value);
    expect(first.headers['ratelimit-policy']).to.equal(
      '"key_minute";q=2;w=60, "key_day";q=1000;w=86400, "minute";q=3000;w=60, "day";q=1000000;w=86400',
    );
    expect(first.headers['x-ratelimit-limit']).to.equal('2');
    await requestNews(service, holder.value);
    const third = await requestNews(service, holder.value);
    expect([third.status, third.json<Problem>().violated_policies]).to.deep.equal([429, ['key_minute']]);
    expect(third.headers['retry-after']).to.equal('50');
    const { limits } = (await get('/pm/v2/usage', bearer(holder.value))).json<{
      limits: { name: string; used: number }[];
    }>();
    expect(limits.map(({ name, used }) => [name, used])).to.deep.equal([
      ['key_minute', 2],
      ['key_day', 2],
      ['minute', 2],
      ['day', 2],
    ]);
  });

  it('gets the permit of a page that has not changed back to all limits, as often as the smallest has permits (D34)', async () => {
    await edit({ limits: { perMinute: 5, perDay: null } });
    const { headers } = await requestNews(service, holder.value);
    for (let i = 0; i < 5; i += 1) {
      const again = await requestNews(service, holder.value, { 'If-None-Match': headers.etag ?? '' });
      expect([again.status, again.headers['x-ratelimit-remaining']]).to.deep.equal([304, '4']);
    }
    await requestNews(service, holder.value, { 'If-None-Match': headers.etag ?? '' });
    const { limits } = (await get('/pm/v2/usage', bearer(holder.value))).json<{
      limits: { used: number }[];
    }>();
    expect(limits.map(({ used }) => used)).to.deep.equal([2, 2, 2]);
  });

  const closing = (text: string) =>
    JSON.parse(
      text
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^data: /, '') ?? '{}',
    );

  it('ends its streams when it expires: the event stream and the WebSocket', async () => {
    await edit({ expiresAt: END });
    const stream = await eventStream(service, from(ALLOWED));
    const caller = await webSocketTo(service, from(ALLOWED));
    await stream.until('event: ready');
    await caller.until('"ready"');
    service.clock.at = END;
    expect(await stream.ended).to.equal(true);
    expect(closing(stream.text()).problem.code).to.equal('key_revoked');
    expect((await caller.closed)[0]).to.equal(4401);
  });

  it('ends the streams from addresses that are no longer allowed, and no other', async () => {
    const [stays, ends] = [
      await eventStream(service, from(ALLOWED)),
      await eventStream(service, from(ELSEWHERE)),
    ];
    const caller = await webSocketTo(service, from(ELSEWHERE));
    await Promise.all([stays, ends].map((stream) => stream.until('event: ready')));
    await edit({ allowlist: ALLOWLIST });
    await ends.ended;
    const { problem, retry_after_seconds: seconds } = closing(ends.text());
    expect([problem.code, problem.status, seconds]).to.deep.equal(['address_not_allowed', 403, null]);
    expect((await caller.closed)[0]).to.equal(4403);
    expect(stays.text()).to.not.include('closing');
    stays.close();
  });

  describe('at GET /pm/v2/key', () => {
    const own = async (of: Holder = holder) =>
      (await get('/pm/v2/key', from(ALLOWED, of))).json<Record<string, unknown>>();

    it('is shown as it is set, without its value', async () => {
      const nothing = {
        expires_at: null,
        allowed_addresses: [],
        requests_per_minute: null,
        requests_per_day: null,
      };
      const usual = {
        key_id: holder.key.id,
        prefix: holder.key.prefix,
        label: null,
        scopes: ['events.read', 'markets.read'],
        status: 'active',
        grace_until: null,
        issued_at: START,
        ...nothing,
        replaced_by: null,
      };
      expect(await own()).to.deep.equal(usual);
      await edit(
        { expiresAt: END, allowlist: ALLOWLIST, limits: { perMinute: 5, perDay: 6 } },
        'job' as Label,
      );
      const { headers, body } = await get('/pm/v2/key', from(ALLOWED));
      expect(headers['cache-control']).to.equal('private, no-store');
      expect(JSON.parse(String(body))).to.deep.equal({
        ...usual,
        label: 'job',
        expires_at: END,
        allowed_addresses: ALLOWLIST,
        requests_per_minute: 5,
        requests_per_day: 6,
      });
      expect(String(body)).to.not.include(holder.value);
    });

    it('says which newer key replaces it, and until when it works', async () => {
      const rotated = accepted(await service.parts.rotateKey(holder.key.id, null, 'customer'));
      const newer = { account: holder.account, key: rotated.key, value: rotated.value };
      expect(await own()).to.include({ status: 'active', replaced_by: rotated.key.prefix });
      expect(await own(newer)).to.include({ replaced_by: null });
      accepted(await service.parts.revokeKey(holder.key.id, 'rotation', null, 'customer'));
      expect(await own()).to.include({
        status: 'revoked',
        grace_until: plus(START, 300 * SECOND),
        replaced_by: rotated.key.prefix,
      });
    });

    it('is free, also when the quota is used up', async () => {
      await edit({ limits: { perMinute: 1, perDay: null } });
      await requestNews(service, holder.value);
      expect((await requestNews(service, holder.value)).status).to.equal(429);
      expect(await own()).to.include({ requests_per_minute: 1 });
    });
  });
});
