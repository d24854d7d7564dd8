import { randomBytes } from 'node:crypto';
import { Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import sinon from 'sinon';
import { positionToken } from '../../../src/domain/feed/position.js';
import { type Fault, type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { Follower, sorted, walked } from '../../support/client/followed.js';
import { publication } from '../../support/objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { actOn, advance, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const POSITION_OF_ANOTHER_FEED = positionToken({ n: 1, mark: '0123456789abcdef' });

describe('The client follows the feed', () => {
  let service: Service;
  let client: Client;
  let key: KeyView;
  let direct: Oddswire;
  let silent: SilentProxy;
  let proxy: FaultyProxy;
  /** Get no byte of a stream: the proxy collects its body, or all of the response. They run during all tests. */
  let collecting: FaultyProxy;
  let collected: readonly Follower[];
  const followers: Follower[] = [];

  before(async () => {
    service = await startService({ STREAM_HEARTBEAT_SECONDS: '1' });
    const url = service.instances[0]?.url ?? '';
    client = await Client.of(service);
    key = await aKey(client);
    direct = new Oddswire({ url, key: key.key });
    [silent, proxy, collecting] = await Promise.all([
      startSilentProxy(url),
      startFaultyProxy(url),
      startFaultyProxy(url),
    ]);
    const withoutBody: Fault = (response) =>
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    const faults = [withoutBody, () => {}];
    collecting.failAll(({ headers }) =>
      headers.accept === 'text/event-stream' ? (faults.shift() ?? null) : null,
    );
    await publish('first');
    collected = [await started(collecting.url), await started(collecting.url)];
  });
  afterEach(() => {
    sinon.restore();
    for (const follower of followers.splice(0)) if (!collected.includes(follower)) follower.stop();
  });
  after(async () => {
    for (const follower of collected) follower.stop();
    await Promise.all([silent, proxy, collecting].map((one) => one.stop()));
    await service.stop();
  });

  const publish = (id: string, headline = `Headline of ${id}`, context = 'Long.') => {
    const { news_event, ...rest } = publication({ id });
    return publishAll(client, [{ ...rest, news_event: { ...news_event, headline, long_context: context } }]);
  };

  /** Follows after a walk, and waits for the first message. */
  const started = async (url: string): Promise<Follower> => {
    const { feed, position } = await walked(direct);
    const follower = new Follower(new Oddswire({ url, key: key.key }), { after: position }, feed);
    followers.push(follower);
    if (url !== collecting.url) await until(true, () => follower.messages.length > 0);
    return follower;
  };

  const expectCurrent = async (follower: Follower) => {
    const { feed } = await walked(direct);
    await until(sorted(feed), () => follower.items);
  };

  it('through publications, replacements and retractions', async () => {
    const follower = await started(proxy.url);
    await publish('a');
    await publish('b');
    await publish('a', 'Replaced: “Ω\u2028”\r\n\ndata: {}');
    await client.retract('b');
    await expectCurrent(follower);
    const changes = follower.messages.filter(({ type }) => type === 'item' || type === 'retraction');
    expect(changes.map(({ type }) => type)).to.deep.equal(['item', 'item', 'item', 'retraction']);
  });

  it('from now, from a time, and with filters', async () => {
    const now = new Follower(direct);
    followers.push(now);
    await until(true, () => now.messages.length > 0);
    await publish('now');
    await until(['now'], () => [...now.feed.keys()]);
    const since = (await direct.page({ news_id: 'now' })).items[0]?.news_event.endpoint_published_at;
    const filtered = new Follower(direct, { since, market_id: ['sm-of-nothing'], category: ['a', 'b'] });
    const replayed = new Follower(direct, { since });
    followers.push(filtered, replayed);
    await until(['now'], () => [...replayed.feed.keys()]);
    await until(true, () => filtered.messages.some(({ type }) => type === 'live'));
    expect(filtered.feed.size).to.equal(0);
  });

  it('after a crash of the user at any message: no message is lost', async () => {
    const { position } = await walked(direct);
    for (const id of ['c', 'd', 'e']) await publish(id);
    const handled: string[] = [];
    for (let after = position; handled.at(-1) !== 'e'; )
      for await (const message of direct.follow({ after })) {
        after = message.position; // Stored with the item. Then the program dies.
        if (message.type !== 'item') continue;
        handled.push(message.item.news_event.id);
        break;
      }
    expect(handled).to.deep.equal(['c', 'd', 'e']);
  });

  it('over a connection that is cut in the middle of a message', async () => {
    const follower = await started(silent.url);
    silent.tear(5_000);
    await publish('torn', 'Torn', randomBytes(10_000).toString('hex'));
    await expectCurrent(follower);
  });

  it('over a character that is torn: at the end of the connection, or by a proxy that lost a byte', async () => {
    const item = Buffer.from('event: item\ndata: {"type":"item","position":"p","item":"€"}\n\n');
    const tornAt = item.indexOf(Buffer.from('€')) + 1;
    const stream = { 'Content-Type': 'text/event-stream' };
    proxy.fail(
      (response) => response.writeHead(200, stream).end(item.subarray(0, tornAt)),
      (response) =>
        response
          .writeHead(200, stream)
          .write(Buffer.concat([item.subarray(0, tornAt), item.subarray(tornAt + 1)])),
    );
    const follower = await started(proxy.url);
    await publish('after-damage');
    await expectCurrent(follower);
    expect(follower.messages.map(({ position }) => position)).to.not.include('p');
  });

  it('over a connection that has died without a sign, whatever the clock of the program says', async () => {
    const follower = await started(silent.url);
    const realNow = Date.now;
    sinon.stub(Date, 'now').callsFake(() => realNow() - 86_400_000);
    silent.silence();
    await publish('unnoticed');
    await until(true, () => follower.feed.has('unnoticed'));
    sinon.restore();
    await advance(client, 3_600);
    await publish('an-hour-later');
    await expectCurrent(follower);
  });

  it('on the same connection while the user is slower than the heartbeat', async () => {
    const before = proxy.requests.length;
    const { position } = await walked(direct);
    await publish('slow');
    const slow = new Oddswire({ url: proxy.url, key: key.key });
    let heartbeats = 0;
    for await (const { type } of slow.follow({ after: position })) {
      if (type === 'item') await new Promise((resolve) => setTimeout(resolve, 2_500));
      if (type === 'heartbeat') heartbeats += 1;
      if (heartbeats === 3) break;
    }
    expect(proxy.requests.length - before).to.equal(1);
  });

  it('in batches where a stream is refused on the way, and after 503', async () => {
    proxy.fail(status(503), status(415), status(503));
    const follower = await started(proxy.url);
    await publish('batched');
    await expectCurrent(follower);
    expect(proxy.requests.at(-1)).to.match(/^application\/json .*wait=25/);
    expect(follower.messages[0]?.type).to.equal('live');
  });

  it('in batches where a proxy collects the stream', async () => {
    for (const follower of collected) await expectCurrent(follower);
    await publish('collected');
    await client.retract('a');
    for (const follower of collected) await expectCurrent(follower);
    const streams = collecting.requests.filter((one) => one.startsWith('text/event-stream '));
    expect(streams).to.have.length(2);
  });

  it('until its position is of another feed, its key ends, or it would wait for a day', async () => {
    const codeOf = (follower: Follower) =>
      follower.ended.catch((error: unknown) => (error instanceof OddswireError ? error.code : String(error)));
    expect(await codeOf(new Follower(direct, { after: POSITION_OF_ANOTHER_FEED }))).to.equal(
      'position_expired',
    );
    proxy.fail(status(429, { 'Retry-After': '86400' }));
    expect(await codeOf(new Follower(new Oddswire({ url: proxy.url, key: key.key })))).to.equal('http_429');
    const own = await aKey(client);
    const open = new Follower(new Oddswire({ url: proxy.url, key: own.key }));
    await until(true, () => open.messages.length > 0);
    await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
    expect(await codeOf(open)).to.equal('key_revoked');
    expect(await codeOf(new Follower(new Oddswire({ url: proxy.url, key: own.key })))).to.equal(
      'key_revoked',
    );
  });

  it('until the user aborts, in a stream and in batches: messages that have already arrived are left out', async () => {
    const { position } = await walked(direct);
    for (const id of ['f', 'g', 'h']) await publish(id);
    for (const faults of [[], [status(415)]]) {
      proxy.fail(...faults);
      const abort = new AbortController();
      const { signal } = abort;
      const items: string[] = [];
      const following = (async () => {
        for await (const { type } of new Oddswire({ url: proxy.url, key: key.key }).follow({
          after: position,
          signal,
        }))
          if (items.push(type) && type === 'item') abort.abort(new Error('stopped'));
      })();
      expect(await following.catch(({ message }) => message)).to.equal('stopped');
      expect(items.filter((type) => type === 'item')).to.have.length(1);
    }
  });

  it('until the user leaves the loop or aborts: the stream is then free', async () => {
    const own = new Oddswire({ url: proxy.url, key: (await aKey(client, 'free')).key });
    const before = (await own.status()).streams.open;
    for (let n = 0; n < 3; n += 1) {
      const follower = new Follower(own);
      await until(true, () => follower.messages.length > 0);
      follower.stop();
      expect(await follower.ended.catch(({ message }) => message)).to.equal('the test has ended');
      await until(true, async () => (await own.status()).streams.open <= before);
    }
    for await (const { type } of own.follow()) {
      expect(type).to.equal('ready');
      break;
    }
    expect(await own.follow().return()).to.deep.equal({ done: true, value: undefined });
  });
});
