import { Agent, request } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import type { AnswerNews } from '../../../src/adapters/http/feed/answer-news.js';
import { rangesOf } from '../../../src/adapters/http/listener/client-address.js';
import { readHeaders } from '../../../src/adapters/http/read-headers.js';
import type { Replacement } from '../../../src/composition/compose.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { readPosition } from '../../../src/domain/feed/position.js';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, runs } from '../../support/objects/builders.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  publish,
  rewrite,
  START,
} from '../../support/service/composed.js';
import { countMiddleware } from '../../support/service/middleware.js';
import { type Asked, aStep, KEYS, type KeyName, type KeyValues } from './news-requests.js';

/** Small limits, so that they are reached; a proxy, so that `X-Forwarded-For` counts. */
const SETTINGS = {
  // Both services have the same address in their problem documents.
  PUBLIC_URL: 'http://localhost:8080',
  RATE_LIMIT_FREE_MINUTE: '3',
  ANONYMOUS_PER_MINUTE: '6',
  TRUSTED_PROXY_HOPS: '1',
};

type Answer = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
};

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The response, without generated ids and without the time of the system. */
const ask = (port: number, agent: Agent, { method, target, headers }: Asked): Promise<Answer> =>
  new Promise((done, fail) => {
    const sending = request({
      port,
      host: '127.0.0.1',
      agent,
      method,
      path: target,
      headers: headers as never,
      setHost: false,
    });
    sending
      .once('error', (fault) => fail(new Error(`${fault} on ${method} ${target} ${headers}`)))
      .once('response', async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const lines: string[] = [];
        for (let i = 0; i < response.rawHeaders.length; i += 2) {
          const [name = '', value = ''] = response.rawHeaders.slice(i, i + 2);
          if (name !== 'Date') lines.push(`${name}: ${value.replace(UUID, 'made up')}`);
        }
        const body = Buffer.concat(chunks).toString('latin1').replace(UUID, 'made up');
        done({ status: response.statusCode ?? 0, headers: lines.sort(), body });
      });
    sending.end();
  });

/** Gives each service that is composed with it the same ids and keys. */
const countedIds: Replacement = () => {
  let n = 0;
  const next = () => {
    n += 1;
    return String(n);
  };
  const ids = {
    account: () => `acc_${next()}` as never,
    subscription: () => `sub_${next()}` as never,
    key: () => `key_${next()}` as never,
    destination: () => `dst_${next()}` as never,
    delivery: () => `msg_${next()}` as never,
    keySuffix: () => `${next().padStart(42, '0')}A`,
  };
  return { ids: () => ids };
};

/** A service with keys in every state. Two such services differ only in the `replacement`. */
async function serviceWith(replacement: Replacement) {
  const service = await composed(SETTINGS, countedIds, replacement);
  const holders = new Map<KeyName, Holder>();
  for (const name of KEYS) holders.set(name, await keyHolder(service, name === 'small' ? 'free' : 'pro'));
  const of = (name: KeyName): Holder => {
    const holder = holders.get(name);
    if (holder === undefined) throw new Error(`no key is ${name}`);
    return holder;
  };
  const accounts = service.parts.accounts;
  const held = of('held');
  accepted(
    await accounts.change(held.account, (account) =>
      applyOperatorEvent(account, held.key.id, 'held', auditContext(START)),
    ),
  );
  accepted(
    await accounts.change(of('unpaid').account, (account) =>
      applyToSubscription(account, 'payment_failed', auditContext(START)),
    ),
  );
  accepted(await service.parts.revokeKey(of('revoked').key.id, 'manual', 'a test' as Reason, 'operator'));
  await rewrite(service, of('paused').account, (account) => ({
    ...account,
    subscription: { ...account.subscription, state: 'paused' },
  }));
  await rewrite(service, of('narrow').account, (account) => ({
    ...account,
    keys: account.keys.map((key) => ({ ...key, scopes: [] })),
  }));
  await publish(service, ...Array.from({ length: 12 }, (_, i) => `ne_${i}`));
  return {
    service,
    keys: Object.fromEntries(KEYS.map((name) => [name, of(name).value])) as unknown as KeyValues,
  };
}

describe('The use case that answers a request for the page', () => {
  let service: Composed;
  let answerNews: AnswerNews;
  let holder: Holder;
  beforeEach(async () => {
    service = await composed();
    ({ answerNews } = service.parts);
    holder = await keyHolder(service);
    await publish(service, ...Array.from({ length: 12 }, (_, i) => `ne_${i}`));
  });
  afterEach(() => service.stop());

  const answerTo = (...rawHeaders: readonly string[]) =>
    answerNews(
      {
        querystring: 'limit=12',
        headers: readHeaders(rawHeaders),
        sent: { hash: holder.key.hash, wasAdmitted: true, wasLimited: false, recordDecision: () => {} },
        address: rangesOf('192.0.2.1'),
        requestId: 'a-request',
      },
      { key: null },
    );

  it('returns a page in memory directly, and a promise only if it must wait', async () => {
    await answerTo(); // The gate looks up the key.
    const page = answerTo();
    if (page instanceof Promise) return expect.fail('a promise');
    const tag = page.headers[page.headers.indexOf('ETag') + 1] ?? '';
    expect(answerTo('If-None-Match', tag)).to.include({ status: 304, body: null });
    const compressed = answerTo('Accept-Encoding', 'gzip');
    expect(compressed).to.be.instanceOf(Promise);
    await compressed;
    expect(answerTo('Accept-Encoding', 'gzip')).to.include({ status: 200 });
  });

  it('reads nothing from the container: it received its dependencies when it was created', async () => {
    const { container } = await import('tsyringe');
    await answerTo();
    const asked = sinon.spy(Object.getPrototypeOf(container), 'resolve');
    try {
      expect(answerTo()).to.include({ status: 200 });
      expect(asked.args.map(([name]) => name)).to.deep.equal([]);
    } finally {
      asked.restore();
    }
  });
});

/** The two services have separate feeds, so the marks of their changes differ. */
const withoutMark = <Answer extends { readonly headers: readonly string[]; readonly body: string }>(
  answer: Answer,
) => ({
  ...answer,
  // In the JSON and on the page of `/status`.
  body: answer.body.replace(
    /(?<before>"position":"|<dd><code>)(?<position>[^"<]+)/,
    (_, before, position) => `${before}${readPosition(position)?.n}`,
  ),
  headers: answer.headers.map((line) => {
    const [, position] = /^Feed-Position: (.+)$/.exec(line) ?? [];
    return position === undefined ? line : `Feed-Position: ${readPosition(position)?.n}`;
  }),
});

describe('The listener and the Koa route', () => {
  let byListener: Composed;
  let byKoa: Composed;
  let keys: KeyValues;
  let agents: readonly [Agent, Agent];
  /** Requests of the first service that the listener passed to Koa. */
  let passedToKoa: ReturnType<typeof countMiddleware>;

  before(async () => {
    const first = await serviceWith((parts) => {
      passedToKoa = countMiddleware(parts);
      return {};
    });
    const second = await serviceWith((parts) => ({ publicHandler: () => parts.publicApi.callback() }));
    [byListener, byKoa] = [first.service, second.service];
    keys = first.keys;
    expect(second.keys).to.deep.equal(keys);
    agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })];
  });
  after(async () => {
    for (const agent of agents) agent.destroy();
    await byListener.stop();
    await byKoa.stop();
  });

  it('answer every request with the same status, headers and body (D33, D36)', async () => {
    let tag = 'W/"none"';
    let asked = 0;
    let published = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const step of steps) {
          if (step.what === 'minute') {
            for (const { clock } of [byListener, byKoa]) clock.at = plus(clock.at, MINUTE);
          } else if (step.what === 'publish') {
            published += 1;
            for (const service of [byListener, byKoa]) await publish(service, `ne_${published % 20}`);
          } else {
            const sent = step.request({ keys, tag });
            const [left, right] = await Promise.all([
              ask(byListener.port, agents[0], sent),
              ask(byKoa.port, agents[1], sent),
            ]);
            asked += 1;
            expect(withoutMark(left), JSON.stringify(sent)).to.deep.equal(withoutMark(right));
            tag = left.headers.find((line) => line.startsWith('ETag: '))?.slice(6) ?? tag;
          }
        }
      }),
      runs(150),
    );
    // Both ways were tested.
    expect(passedToKoa.requests).to.be.greaterThan(0);
    expect(asked - passedToKoa.requests).to.be.greaterThan(asked / 10);
  });
});
