import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { slowReaders } from '../../support/live/slow-readers.js';
import { readStream } from '../../support/live/stream-reader.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, metric, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const IS_DEEP = process.env['DEEP'] !== undefined;
const FAST = 20;
/** Fast too, but this process cannot parse what so many of them get. */
const UNPARSED = IS_DEEP ? 1_980 : 20;
const SLOW = IS_DEEP ? 200 : 20;
/** Of each form. */
const MUTE = IS_DEEP ? 20 : 3;
const SLOW_BYTES_PER_SECOND = 1_024;
const UNREAD_MS = 1_500;
/** Together more than the 4.1 MB that the kernel keeps for a connection (`net.ipv4.tcp_wmem`). */
const ITEMS = 15;
const ITEM_BYTES = 400_000;
const MEGABYTE = 1_000_000;
/** The window and the blocks of changes have at most 32 MB each; the rest is what the process needs to handle the items. */
const MEMORY_MAX_MB = 200;

/** D53: a slow reader delays nobody else, and nothing is queued for it. */
describe('Readers that are slow, and readers that read nothing,', function () {
  this.timeout(IS_DEEP ? 600_000 : 180_000);
  let service: Service;
  let client: Client;
  let key: string;
  before(async () => {
    service = await startService({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      STREAMS_PRO: '100000',
      CONNECTIONS_PER_ADDRESS: '0',
      UNREAD_ANSWER_TIMEOUT_MS: String(UNREAD_MS),
      RATE_LIMIT_PRO_MINUTE: '1000000',
    });
    client = await Client.of(service);
    key = (await aKey(client)).key;
  });
  after(() => service.stop());

  const url = () => service.instances[0]?.url ?? expect.fail('there is an instance');
  const residentMb = () => {
    const status = readFileSync(`/proc/${service.instances[0]?.process.pid}/status`, 'utf8');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024) / MEGABYTE;
  };
  const open = (form: string) => metric(client, `oddswire_streams_open{form="${form}",plan="pro"}`);

  it('delay nobody, need a bounded amount of memory, and are closed if they read nothing', async () => {
    const fast = await Promise.all(Array.from({ length: FAST }, () => readStream(url(), key)));
    const unparsed = await slowReaders(url(), key, {
      count: UNPARSED,
      bytesPerSecond: Number.POSITIVE_INFINITY,
    });
    const others = await Promise.all([
      slowReaders(url(), key, { count: SLOW, bytesPerSecond: SLOW_BYTES_PER_SECOND }),
      slowReaders(url(), key, { count: MUTE, bytesPerSecond: 0 }),
      slowReaders(url(), key, { count: MUTE, bytesPerSecond: 0, isWebSocket: true }),
    ]);
    await until([FAST + UNPARSED + SLOW + MUTE, MUTE], () => Promise.all([open('sse'), open('websocket')]));
    const before = residentMb();
    let most = before;
    const expected: string[] = [];
    for (let n = 0; n < ITEMS; n += 1) {
      expected.push(`i-${n}`);
      await publishAll(client, [itemOf(n)]);
      await Promise.all(fast.map((stream) => stream.items(expected.length)));
      await until(true, () => unparsed.bytes() >= expected.length * UNPARSED * ITEM_BYTES);
      most = Math.max(most, residentMb());
    }
    for (const stream of fast) expect(stream.ids()).to.deep.equal(expected);
    await until([0, true], async () => [
      await open('websocket'),
      (await open('sse')) <= FAST + UNPARSED + SLOW,
    ]);
    most = Math.max(most, residentMb());
    console.log(
      `      ${FAST + UNPARSED} fast readers got all items; memory ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB; ` +
        `${(await open('sse')) - FAST - UNPARSED} of ${SLOW} slow readers are still open`,
    );
    expect(most - before).to.be.at.most(MEMORY_MAX_MB);
    expect(fast.map((stream) => stream.isClosed())).to.deep.equal(fast.map(() => false));
    for (const each of [...[unparsed, ...others].map(({ release }) => ({ close: release })), ...fast])
      each.close();
  });
});

/** An item of about `ITEM_BYTES` that is hard to compress. */
function itemOf(n: number) {
  const { news_event, ...others } = publication({ id: `i-${n}` });
  return { ...others, news_event: { ...news_event, long_context: `${n} `.padEnd(ITEM_BYTES, 'text ') } };
}
