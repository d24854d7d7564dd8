import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { readStream, type StreamReader } from '../../support/live/stream-reader.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { advance, aKey, publishAll, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { killed, type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** The shortest lease that the settings allow. */
const SLOT_SECONDS = 3;
const PRO_STREAMS = 25;
/** Promised for a client whose connection died unnoticed. */
const SERVED_AGAIN_MS = 5_000;
/** The most streams of a key that are replaced within ten minutes. */
const REPLACED_MAX = 6;
const RETRY_SECONDS = 30;

/** D51: the slots of streams, over two instances that share one Redis. */
describe('The slots of streams', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let settings: Readonly<Record<string, string>>;
  let service: Service;
  let client: Client;
  let keyOfKilled: string;
  before(async () => {
    redis = await startTestRedis();
    settings = {
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redis.url,
      STREAM_SLOT_SECONDS: String(SLOT_SECONDS),
    };
    service = await startService(settings, 2);
    client = await Client.of(service);
    // Now, because `client` waits for messages between the instances, and some are lost while Redis is unavailable.
    keyOfKilled = (await aKey(client, 'free')).key;
  });
  after(async () => {
    await service.stop();
    await redis.stop();
  });

  const one = (n: 0 | 1) => service.instances[n] ?? expect.fail('there are two instances');
  const urlOf = (n: number) => one((n % 2) as 0 | 1).url;
  const closeAll = (streams: readonly StreamReader[]) => {
    for (const stream of streams) stream.close();
  };
  const granted = (streams: readonly StreamReader[]) => streams.filter(({ status }) => status === 200);

  it('are exactly as many as the plan allows, if 50 clients open streams at once on two instances', async () => {
    const { key } = await aKey(client);
    const streams = await Promise.all(Array.from({ length: 50 }, (_, n) => readStream(urlOf(n), key)));
    expect(granted(streams)).to.have.length(PRO_STREAMS);
    const refused = streams.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, refusal }) => [status, refusal])).to.deep.equal(
      refused.map(() => [429, 'too_many_streams']),
    );
    closeAll(streams);
  });

  it('serve a client again that resumes while its old connection is dead but not closed', async () => {
    const { key } = await aKey(client, 'free');
    const proxy = await startSilentProxy(urlOf(0));
    const dead = await readStream(proxy.url.replace(/\/$/, ''), key);
    await publishAll(client, [publication({ id: unique() })]);
    await dead.items(1);
    proxy.silence();
    const missed = unique();
    await publishAll(client, [publication({ id: missed })]);
    const at = performance.now();
    const resumed = await readStream(urlOf(1), key, { lastEventId: dead.position() });
    await resumed.items(1);
    const millis = Math.round(performance.now() - at);
    console.log(`      served again after ${millis} ms`);
    expect([resumed.ids(), dead.ids().length]).to.deep.equal([[missed], 1]);
    expect(millis).to.be.at.most(SERVED_AGAIN_MS);
    closeAll([dead, resumed]);
    await proxy.stop();
  });

  it('are not taken in turns for ever by two clients that share one: in the end one client keeps it', async () => {
    const { key } = await aKey(client, 'free');
    let holder = await readStream(urlOf(0), key);
    await holder.message('ready');
    let waiting = holder.position();
    let replaced = 0;
    for (let seconds = 0; seconds < 600; seconds += RETRY_SECONDS) {
      const next = await readStream(urlOf(seconds / RETRY_SECONDS), key, { lastEventId: waiting });
      // An `EventSource` gives up for good on any status but 200.
      if (next.status !== 200) {
        expect([next.status, next.refusal]).to.deep.equal([429, 'too_many_streams']);
        break;
      }
      replaced += 1;
      const closing = await holder.message('closing');
      expect([closing.problem?.code, closing.retry_after_seconds, holder.retryMs()]).to.deep.equal([
        'stream_replaced',
        RETRY_SECONDS,
        RETRY_SECONDS * 1_000,
      ]);
      waiting = holder.position();
      holder = next;
      await advance(client, RETRY_SECONDS);
    }
    expect(replaced).to.equal(REPLACED_MAX);
    const id = unique();
    await publishAll(client, [publication({ id })]);
    await holder.items(1);
    expect(holder.ids()).to.include(id);
    holder.close();
  });

  it('are not lost by open streams while Redis is frozen or restarts empty, and are counted again', async () => {
    const keys = await Promise.all([0, 1].map(() => aKey(client, 'free')));
    const streams = await Promise.all(keys.map(({ key }, n) => readStream(urlOf(n), key)));
    const expectServed = async (count: number) => {
      await publishAll(client, [publication({ id: unique() })]);
      await Promise.all(streams.map((stream) => stream.items(count)));
      expect(streams.map((stream) => stream.isClosed())).to.deep.equal([false, false]);
    };
    await redis.freeze();
    await lineOfAll('Redis cannot be used', 1);
    await expectServed(1);
    await redis.thaw();
    await lineOfAll('Redis can be used again', 1);
    await expectServed(2);
    await redis.kill();
    await lineOfAll('Redis cannot be used', 2);
    await redis.restart();
    await lineOfAll('Redis can be used again', 2);
    await expectServed(3);
    // Redis has forgotten all slots. The next renewal takes them again.
    const opened = async ({ key }: { readonly key: string }, n: number) => {
      const further = await readStream(urlOf(n + 1), key);
      further.close();
      return further.status;
    };
    await until([429, 429], () => Promise.all(keys.map(opened)));
    closeAll(streams);
  });

  const lineOfAll = (text: string, times: number) =>
    Promise.all(service.instances.map(({ line }) => line(text, times)));

  it('of an instance that is killed are free again when their lease has ended', async () => {
    const key = keyOfKilled;
    const lost = await readStream(urlOf(1), key);
    await killed(one(1));
    await lost.closed;
    const at = performance.now();
    expect((await readStream(urlOf(0), key)).refusal).to.equal('too_many_streams');
    let next = await readStream(urlOf(0), key);
    while (next.status !== 200) {
      await setTimeout(50);
      next = await readStream(urlOf(0), key);
    }
    console.log(
      `      free after ${Math.round(performance.now() - at)} ms, with a lease of ${SLOT_SECONDS} s`,
    );
    next.close();
  });
});
