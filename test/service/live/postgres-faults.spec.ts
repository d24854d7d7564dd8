import { expect } from 'chai';
import { readStream, type StreamReader } from '../../support/live/stream-reader.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { redisUrl } from '../../support/servers/stores.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const IS_DEEP = process.env['DEEP'] !== undefined;
/** The shortest that the settings allow. */
const MAX_STALE_SECONDS = 5;
const STREAMS = 5;

/** D35, D52: streams do not end because Postgres is unavailable. */
describe('Open streams, while Postgres is unavailable,', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let service: Service;
  let client: Client;
  let key: string;
  before(async () => {
    postgres = await startTestPostgres({ durable: true });
    service = await startService({
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl(),
      GATE_MAX_STALE: String(MAX_STALE_SECONDS),
      STREAM_HEARTBEAT_SECONDS: '1',
    });
    client = await Client.of(service);
    key = (await aKey(client)).key;
  });
  after(async () => {
    await service.stop();
    await postgres.stop();
  });

  const url = () => service.instances[0]?.url ?? expect.fail('there is an instance');
  const openStreams = () => Promise.all(Array.from({ length: STREAMS }, () => readStream(url(), key)));
  const publish = (id: string) => publishAll(client, [publication({ id })]);
  const heartbeats = ({ messages }: StreamReader) =>
    messages.filter(({ type }) => type === 'heartbeat').length;
  let losses = 0;
  let returns = 0;
  const isLost = () => client.line('Postgres cannot be used', ++losses);
  const isBack = () => client.line('Postgres can be used again', ++returns);

  it(`go on while it is frozen${IS_DEEP ? ', also beyond GATE_MAX_STALE' : ''}, and get the changes afterwards`, async () => {
    const streams = await openStreams();
    await publish('before');
    await Promise.all(streams.map((stream) => stream.items(1)));
    await postgres.freeze();
    await isLost();
    expect((await client.publish(JSON.stringify(publication({ id: 'refused' })))).status).to.equal(503);
    // A request that needs the key is refused once its copy is too old; an open stream does not end.
    if (IS_DEEP) await until(503, async () => (await client.news(key, '?limit=1')).status);
    const sent = streams.map(heartbeats);
    await until(true, () => streams.every((stream, n) => heartbeats(stream) > (sent[n] ?? 0)));
    expect(streams.map((stream) => stream.isClosed())).to.deep.equal(streams.map(() => false));
    await postgres.thaw();
    await isBack();
    await publish('after');
    await until(true, () => streams.every((stream) => stream.ids().includes('after')));
    expect(streams.map((stream) => stream.isClosed())).to.deep.equal(streams.map(() => false));
    for (const stream of streams) stream.close();
  });

  it('go on, or end with `closing` and resume, while it restarts: no change is lost', async () => {
    const streams = await openStreams();
    await publish('before-the-restart');
    await Promise.all(streams.map((stream) => stream.items(1)));
    await postgres.kill();
    await isLost();
    await postgres.restart();
    await isBack();
    await publish('after-the-restart');
    const got = await Promise.all(streams.map(untilNextItem));
    console.log(
      `      ${got.filter(({ isResumed }) => isResumed).length} of ${STREAMS} streams were resumed`,
    );
    expect(got.map(({ ids }) => ids)).to.deep.equal(
      streams.map(() => ['before-the-restart', 'after-the-restart']),
    );
  });

  /** The items of a stream after its second one. If the stream ends before, it is resumed as `closing` says. */
  const untilNextItem = async (stream: StreamReader) => {
    await Promise.race([stream.closed, until(true, () => stream.ids().length >= 2)]);
    if (!stream.isClosed()) {
      stream.close();
      return { ids: stream.ids(), isResumed: false };
    }
    const closing = await stream.message('closing');
    expect(closing.retry_after_seconds).to.be.a('number');
    const resumed = await readStream(url(), key, { lastEventId: stream.position() });
    await resumed.items(2 - stream.ids().length);
    resumed.close();
    return { ids: [...stream.ids(), ...resumed.ids()], isResumed: true };
  };
});
