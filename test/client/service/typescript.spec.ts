import { inspect } from 'node:util';
import { type HistoryChange, Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import { type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { Follower } from '../../support/client/followed.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const failureOf = async (work: Promise<unknown>): Promise<OddswireError> => {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof OddswireError) return error;
  throw error;
};

/** What only this language has. The cases of all clients are in the other files of this folder. */
describe('The TypeScript client', () => {
  let service: Service;
  let client: Client;
  let proxy: FaultyProxy;
  let key: KeyView;
  let oddswire: Oddswire;

  before(async () => {
    service = await startService();
    client = await Client.of(service);
    key = await aKey(client);
    await publishAll(
      client,
      ['first', 'second', 'third'].map((id) => timedNow(publication({ id }))),
    );
    proxy = await startFaultyProxy(service.instances[0]?.url ?? '');
    oddswire = new Oddswire({ url: `${proxy.url}/`, key: key.key });
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  it('takes times as dates, and any time limit', async () => {
    const options = { url: proxy.url, key: key.key, timeoutMs: Number.POSITIVE_INFINITY, retries: 0 };
    const since = new Date('2026-01-01T00:00:00Z');
    expect((await new Oddswire(options).page({ since, limit: 1 })).items).to.have.length(1);
    expect(proxy.requests.at(-1)).to.include('since=2026-01-01T00%3A00%3A00.000Z');
  });

  it('has the position of a walk after its first page, and all items at once', async () => {
    const walk = oddswire.walk({ limit: 2 });
    expect(() => walk.position).to.throw('first page');
    expect(await walk.toArray()).to.have.length(3);
    expect(walk.position).to.equal((await oddswire.page()).position);
  });

  it('rejects with the reason of its signal, also in a wait', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    proxy.fail((response) => {
      status(503, { 'Retry-After': '60' })(response, response.req);
      setImmediate(() => abort.abort(new Error('enough')));
    });
    const reasonOf = (work: Promise<unknown>) => work.catch((error: Error) => error.message);
    expect(await reasonOf(oddswire.page({}, { signal }))).to.equal('enough');
    expect(await reasonOf(oddswire.usage({ signal }))).to.equal('enough');
    expect(await reasonOf(oddswire.walkMarkets({}, { signal }).toArray())).to.equal('enough');
  });

  it('ends a history when its signal is aborted: the lines that have arrived are left out', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const taken: HistoryChange[] = [];
    const reading = (async () => {
      for await (const change of oddswire.history({ signal }))
        if (taken.push(change) === 2) abort.abort(new Error('enough'));
    })();
    expect(await reading.catch(({ message }) => message)).to.equal('enough');
    expect(taken).to.have.length(2);
    const again = oddswire.history({ signal })[Symbol.asyncIterator]().next();
    expect(await again.catch(({ message }) => message)).to.equal('enough');
  });

  it('frees its stream when the user aborts with a reason, or leaves the loop', async () => {
    const follower = new Follower(oddswire);
    await until(true, () => follower.messages.length > 0);
    follower.stop();
    expect(await follower.ended.catch(({ message }) => message)).to.equal('the test has ended');
    for await (const { type } of oddswire.follow()) {
      expect(type).to.equal('ready');
      break;
    }
    await until(0, async () => (await oddswire.status()).streams.open);
    expect(await oddswire.follow().return()).to.deep.equal({ done: true, value: undefined });
  });

  it('shows its key in no text of it and of its errors', async () => {
    const value = key.key.slice(key.key.indexOf('_') + 1);
    proxy.fail(status(400, {}, JSON.stringify({ code: 'a', detail: key.key })), (response) =>
      response.destroy(),
    );
    const errors = [
      await failureOf(oddswire.page()),
      await failureOf(new Oddswire({ url: proxy.url, key: key.key, retries: 0 }).page()),
      await failureOf(new Oddswire({ url: 'http://127.0.0.1:1', key: key.key, retries: 0 }).page()),
    ];
    for (const thing of [oddswire, oddswire.walk(), oddswire.follow(), oddswire.history(), ...errors]) {
      const texts = [inspect(thing, { depth: null, showHidden: true }), JSON.stringify(thing), String(thing)];
      expect(texts.join('\n')).to.not.include(value);
    }
    for (const options of [
      { url: proxy.url, key: `${key.key}\n` },
      { url: `http://x:${key.key}@127.0.0.1`, key: 'a' },
      { url: `http://127.0.0.1/?api_key=${key.key}`, key: 'a' },
      { url: `not a URL ${key.key}`, key: 'a' },
      { url: proxy.url, key: undefined },
    ]) {
      const error: unknown = (() => {
        try {
          return new Oddswire(options);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).to.be.instanceOf(OddswireError).with.property('code', 'invalid_options');
      expect(inspect(error, { depth: null, showHidden: true })).to.not.include(value);
    }
  });
});
