import { expect } from 'chai';
import { Unavailable } from '../../../../src/application/unavailable.js';
import type { Refusal } from '../../../../src/domain/refusal.js';
import { type FakeStreams, fakeStreams } from '../../../support/live/fake-streams.js';
import { askStream, CALLS } from '../../../support/live/stream-callers.js';
import { moment } from '../../../support/objects/builders.js';
import { made, REVOKED } from '../../../support/objects/gateway.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  composed,
  keyHolder,
  rewrite,
  signal,
} from '../../../support/service/composed.js';
import { conformance, type OpenApi } from '../../../support/service/conformance.js';

type Case = {
  readonly code: string;
  readonly status: number;
  /** Prepares the service; returns the headers and the query of the request. */
  readonly given: (
    service: Composed,
    streams: FakeStreams,
  ) => Promise<readonly [headers: Readonly<Record<string, string>>, query?: string]>;
  readonly expects?: (answer: Answer) => void;
  /** Whether the gateway itself refuses: then no permit is taken, so none is returned. */
  readonly isGateway?: boolean;
};

const withKey = async (service: Composed) => bearer((await keyHolder(service)).value);
/** The registry of streams refuses. */
const registry = (status: number, instead: FakeStreams['instead'], expects?: Case['expects']): Case => ({
  code:
    instead === 'restart'
      ? 'unavailable'
      : instead === 'overloaded'
        ? instead
        : ((instead as Refusal).refused ?? ''),
  status,
  given: async (service, streams) => {
    streams.instead = instead;
    return [await withKey(service)];
  },
  ...(expects && { expects }),
});
const invalid = (query: string, parameter: string): Case => ({
  code: 'invalid_parameter',
  status: 400,
  given: async (service) => [await withKey(service), query],
  expects: (answer) =>
    expect(answer.json().errors?.map((fault) => fault.parameter)).to.deep.equal([parameter]),
});
const state = (code: string, status: number, parts: Parameters<typeof made>[0]): Case => ({
  code,
  status,
  given: async (service) => {
    const holder = await keyHolder(service);
    await rewrite(service, holder.account, made(parts));
    return [bearer(holder.value)];
  },
  isGateway: true,
});

// biome-ignore format: a table is read by its columns
const CASES: readonly Case[] = [
  { code: 'key_missing', status: 401, given: async () => [{}], isGateway: true, expects: ({ headers }) => expect(headers['www-authenticate']).to.match(/^Bearer/) },
  { code: 'key_unknown', status: 401, given: async () => [bearer('svc_no-such-key')], isGateway: true },
  state('key_revoked', 401, { keyState: REVOKED }),
  state('subscription_paused', 402, { state: 'paused' }),
  state('insufficient_scope', 403, { scopes: [] }),
  invalid('?after=x', 'after'),
  invalid('?since=x', 'since'),
  invalid('?market_id=', 'market_id'),
  registry(410, { refused: 'position_expired', feedHead: moment('2026-03-01T12:00:00.000000Z') }, (answer) => expect(answer.json()).to.include({ feed_head: '2026-03-01T12:00:00.000000Z' })),
  registry(429, { refused: 'too_many_streams' }, ({ headers }) => expect(headers['retry-after']).to.equal('30')),
  registry(401, { refused: 'key_revoked' }, ({ headers }) => expect(headers['www-authenticate']).to.match(/invalid_token/)),
  registry(503, 'overloaded', ({ headers }) => expect(headers['retry-after']).to.equal('1')),
  registry(503, 'restart', (answer) => expect(answer.json()).to.have.property('detail').that.matches(/is stopping/)),
  { code: 'unavailable', status: 503, given: async (service, streams) => { streams.instead = new Unavailable('the store'); return [await withKey(service)]; } },
  { code: 'internal', status: 500, given: async (service, streams) => { streams.instead = new Error('a bug'); return [await withKey(service)]; } },
  { code: 'uri_too_long', status: 414, given: async (service) => [await withKey(service), `?a=${'x'.repeat(4_096)}`], isGateway: true },
];

describe('A stream that does not open', () => {
  let service: Composed;
  let streams: FakeStreams;
  let holds: ReturnType<typeof conformance>;
  before(async () => {
    streams = fakeStreams();
    service = await composed({ ANONYMOUS_PER_MINUTE: '1000000' }, streams.replace);
    holds = conformance((await ask(`${service.url}/openapi.json`)).json<OpenApi>());
  });
  after(() => service.stop());
  afterEach(() => {
    streams.instead = null;
    streams.until = Promise.resolve();
    [streams.onAsk, streams.onStart] = [() => {}, () => {}];
  });

  const expectConforms = ({ status, headers, body }: Answer, path = '/pm/v2/stream') => {
    const answered = { status, headers: headers as Record<string, string>, text: String(body) };
    expect(holds('GET', path, answered, true)).to.deep.equal([]);
  };

  for (const { form, path } of CALLS) {
    describe(`of ${path} as ${form}`, () => {
      for (const { code, status, given, expects, isGateway = false } of CASES) {
        it(`is a ${status} ${code} as on REST (D47)`, async () => {
          const [headers, query] = await given(service, streams);
          const answer = await askStream(service, form, headers, query, path);
          expect([answer.status, answer.json().code]).to.deep.equal([status, code]);
          expect(answer.json().instance).to.equal(path);
          expect(answer.headers.vary).to.match(
            status === 414 ? /^/ : path === '/pm/v2/stream' ? /Accept(,|$)/ : /X-API-Key/,
          );
          expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8');
          if (form === 'websocket') expect(answer.headers.connection).to.equal('close');
          expectConforms(answer, path);
          expects?.(answer);
          if (!isGateway) expect(answer.headers['x-ratelimit-remaining']).to.equal('3000');
        });
      }

      it('costs nothing (D51)', async () => {
        const key = await withKey(service);
        streams.instead = { refused: 'too_many_streams' };
        for (let i = 0; i < 3; i += 1) await askStream(service, form, key, '', path);
        await askStream(service, form, key, '?after=x', path);
        const usage = await ask(`${service.url}/pm/v2/usage`, { headers: key });
        expect(usage.json<{ limits: { used: number }[] }>().limits.map(({ used }) => used)).to.deep.equal([
          0, 0,
        ]);
      });

      it('is a 429 that names the policies if the quota is used up', async () => {
        const holder = await keyHolder(service, 'free');
        const key = bearer(holder.value);
        const requests = Array.from({ length: 60 }, () => ask(`${service.url}/pm/v2/news`, { headers: key }));
        await Promise.all(requests);
        const answer = await askStream(service, form, key, '', path);
        expect([answer.status, answer.json().violated_policies]).to.deep.equal([429, ['minute']]);
        expect(Number(answer.headers['retry-after'])).to.be.above(0);
        expectConforms(answer, path);
      });
    });
  }

  it('is a 503 while too many requests are in progress; open streams and batches are not in progress (D58)', async () => {
    const small = await composed({ REQUESTS_IN_HAND_MAX: '1' }, streams.replace);
    const key = await withKey(small);
    const opened = streams.next();
    const open = askStream(small, 'sse', key);
    const first = await opened;
    await first.started;
    // Another stream opens, for which the store is asked.
    const [asked, released] = [signal(), signal()];
    streams.onAsk = asked.send;
    streams.until = released.sent;
    const opening = askStream(small, 'sse', key);
    await asked.sent;
    for (const form of ['sse', 'websocket'] as const) {
      const answer = await askStream(small, form, key);
      expect([answer.status, answer.json().code]).to.deep.equal([503, 'overloaded']);
      expectConforms(answer);
    }
    streams.until = Promise.resolve();
    streams.onStart = (stream) => stream.request.form === 'batch' && stream.sink.caughtUp();
    expect((await askStream(small, 'batch', key)).status).to.equal(200);
    const next = streams.next();
    released.send();
    const second = await next;
    await second.started;
    for (const stream of [first, second]) stream.end('restart');
    await Promise.all([open, opening]);
    await small.stop();
  });
});
