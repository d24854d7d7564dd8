import { expect } from 'chai';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import type { Gate } from '../../../src/application/ports/keys/gate.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Replacement } from '../../../src/composition/compose.js';
import { receiptOf } from '../../support/objects/receipts.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  composed,
  keyHolder,
  type LogLine,
  requestNews,
} from '../../support/service/composed.js';

/** A store that fails every call with the same fault. */
function failing<Port extends object>(fault: () => Error): Port {
  return new Proxy({} as Port, { get: () => () => Promise.reject(fault()) });
}

const away = () => new Unavailable('the store', new Error('secret of the store'));
/** The outage was known, and the store not asked. */
const knownAway = () => new Unavailable('the store');
const bug = () => new TypeError('secret of the bug');

/** Failing stores, by port. */
const FAILING = {
  accounts: (fault: () => Error) => failing<Accounts>(fault),
  counters: (fault: () => Error) => failing<Counters>(fault),
  feed: (fault: () => Error) => failing<FeedStore>(fault),
  gate: (fault: () => Error) => failing<Gate>(fault),
};

const replacing =
  (name: keyof typeof FAILING, fault: () => Error): Replacement =>
  () => ({ [name]: () => FAILING[name](fault) });

/** Expects the headers of every public response (D33, D36, D38), which Koa would drop on a throw (T2). */
function expectCommonHeaders({ headers }: Answer): void {
  expect(headers).to.include.keys(
    'ratelimit-policy',
    'ratelimit',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
  );
  expect(headers).to.include({
    'access-control-allow-origin': '*',
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(headers['access-control-expose-headers']).to.include('Retry-After');
}

const isFault = ({ msg }: LogLine) => msg === 'a request failed';

describe('An unavailable store', () => {
  let service: Composed;
  afterEach(() => service.stop());

  it('causes 503 with Retry-After, never 401, if it has the keys (D35)', async () => {
    service = await composed({}, replacing('gate', away));
    const { value } = await keyHolder(service);

    const answer = await requestNews(service, value);

    expect([answer.status, answer.json().code]).to.deep.equal([503, 'unavailable']);
    expect(answer.headers['retry-after']).to.equal('1');
    expect(answer.headers).not.to.have.property('www-authenticate');
    expectCommonHeaders(answer);
  });

  it('does not affect the 401 for a malformed key, which needs no lookup (D17)', async () => {
    service = await composed({}, replacing('gate', away));
    const answer = await requestNews(service, 'svc_no-key');
    expect([answer.status, answer.json().code]).to.deep.equal([401, 'key_unknown']);
  });

  it('costs a permit if it has the feed and was asked (D34)', async () => {
    service = await composed({}, replacing('feed', away));
    const { value } = await keyHolder(service);
    await requestNews(service, value);
    expect((await requestNews(service, value)).headers['x-ratelimit-remaining']).to.equal('2998');
  });

  it('costs the subscription no quota if it has the feed and is known to be away (D34)', async () => {
    service = await composed({}, replacing('feed', knownAway));
    const { value } = await keyHolder(service);

    await requestNews(service, value);
    const answer = await requestNews(service, value);

    expect([answer.status, answer.json().code]).to.deep.equal([503, 'unavailable']);
    expect(answer.headers['retry-after']).to.equal('1');
    expect(answer.headers).to.include({
      'ratelimit-policy': '"minute";q=3000;w=60, "day";q=1000000;w=86400',
      ratelimit: '"minute";r=3000;t=50, "day";r=1000000;t=43190',
    });
    expectCommonHeaders(answer);
  });

  it('causes 503 for operators and publishers too', async () => {
    service = await composed({}, replacing('accounts', away), replacing('feed', away));
    const { internalUrl } = service;
    const account = await ask(`${internalUrl}/internal/v1/accounts/acc_1`, {
      headers: bearer('operator-token-of-the-tests'),
    });
    const retraction = await ask(`${internalUrl}/internal/v1/news/ne_1`, {
      method: 'DELETE',
      headers: bearer('publisher-token-of-the-tests'),
    });
    for (const { status, headers, json } of [account, retraction]) {
      expect([status, json().code, headers['retry-after']]).to.deep.equal([503, 'unavailable', '1']);
    }
  });

  it('is logged once per request as a warning, with its cause and the request id', async () => {
    service = await composed({}, replacing('feed', away));
    const { value } = await keyHolder(service);
    const answer = await requestNews(service, value);
    await service.stop();

    const [reported, ...others] = service.lines.filter(isFault);
    expect(others).to.deep.equal([]);
    expect(reported).to.include({ level: 40, request_id: answer.headers['x-request-id'] });
    expect(JSON.stringify(reported)).to.include('secret of the store');
  });

  for (const [path, status] of [
    ['/nowhere', 404],
    ['/pm/v2/news', 401],
  ] as const) {
    it(`causes a problem document on ${path} if it has the counters (D32, D35, T2)`, async () => {
      service = await composed({}, replacing('counters', away));
      const answer = await ask(`${service.url}${path}`);
      expect(answer.status).to.be.oneOf([status, 503]);
      expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8');
      expect(answer.headers).to.include.keys('x-request-id', 'access-control-allow-origin');
    });
  }
});

describe('A bug in the service', () => {
  let service: Composed;
  let key: string;
  before(async () => {
    service = await composed({}, replacing('feed', bug));
    key = (await keyHolder(service)).value;
  });
  after(() => service.stop());

  it('causes 500 internal, with all common headers (T2)', async () => {
    const answer = await requestNews(service, key, { 'X-Request-Id': 'my-request-1' });
    expect([answer.status, answer.json().code]).to.deep.equal([500, 'internal']);
    expect(answer.headers['x-request-id']).to.equal('my-request-1');
    expect(answer.json().request_id).to.equal('my-request-1');
    expect(answer.headers).not.to.have.property('retry-after');
    expectCommonHeaders(answer);
  });

  it('reveals nothing of itself in the response', async () => {
    const answer = await requestNews(service, key);
    const text = `${JSON.stringify(answer.headers)}${answer.body}`;
    expect(text).not.to.match(/secret|TypeError|\.js\b|node_modules/);
  });

  it('is logged once, with its stack, under the request id of the response', async () => {
    const answer = await requestNews(service, key, { 'X-Request-Id': 'my-request-2' });
    await service.line((line) => line.msg === 'request' && line['request_id'] === 'my-request-2');

    const reports = service.lines.filter((line) => isFault(line) && line['request_id'] === 'my-request-2');
    expect(reports).to.have.length(1);
    expect(reports[0]).to.include({ level: 50 });
    expect(reports[0]?.['err']).to.include({ type: 'TypeError', message: 'secret of the bug' });
    expect(answer.status).to.equal(500);
  });

  it('does not cost a permit (D34)', async () => {
    const answer = await requestNews(service, key);
    expect(answer.headers['x-ratelimit-remaining']).to.equal('3000');
  });

  it('has the same response and log line on the internal listener', async () => {
    const answer = await ask(`${service.internalUrl}/internal/v1/news/ne_1`, {
      method: 'DELETE',
      headers: { ...bearer('publisher-token-of-the-tests'), 'X-Request-Id': 'my-request-3' },
    });
    expect([answer.status, answer.json().code]).to.deep.equal([500, 'internal']);
    const report = await service.line((line) => isFault(line) && line['request_id'] === 'my-request-3');
    expect(report['err']).to.include({ message: 'secret of the bug' });
  });

  it('does not change the response if it occurs while a permit is refunded (D34)', async () => {
    const other = await composed({}, () => {
      const counted: Counters = {
        take: async (permits) => ({ granted: 1, counts: permits.map(() => 1), receipt: receiptOf(permits) }),
        giveBack: () => Promise.reject(bug()),
      };
      return { feed: () => failing<FeedStore>(knownAway), counters: () => counted };
    });
    try {
      const answer = await requestNews(other, (await keyHolder(other)).value);
      expect([answer.status, answer.json().code]).to.deep.equal([503, 'unavailable']);
    } finally {
      await other.stop();
    }
  });
});
