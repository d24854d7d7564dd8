import { once } from 'node:events';
import { expect } from 'chai';
import { readStream } from '../../support/live/stream-reader.js';
import { openWebSocket } from '../../support/live/web-socket-reader.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { startService } from '../../support/service/running-service.js';

/** Of each form. */
const STREAMS = process.env['DEEP'] ? 1_000 : 100;
const DRAIN_MS = 1_000;
const BINS = 10;
const RESTART_CODE = 1012;

/** D54: clients of a service that stops must not reconnect as one wave. */
describe('The shutdown with open streams', function () {
  this.timeout(60_000);

  it('ends each with `closing` and a random time to reconnect, spread over the drain time, and exits with 0', async () => {
    const service = await startService({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      STREAMS_PRO: '100000',
      CONNECTIONS_PER_ADDRESS: '0',
      DRAIN_DELAY_MS: String(DRAIN_MS),
    });
    const [instance] = service.instances;
    if (instance === undefined) throw new Error('the service has no instance');
    const { key } = await aKey(await Client.of(service));
    const each = Array.from({ length: STREAMS });
    const [events, webSockets] = await Promise.all([
      Promise.all(each.map(() => readStream(instance.url, key))),
      Promise.all(each.map(() => openWebSocket(instance.url, key))),
    ]);
    const streams = [...events, ...webSockets];
    const times: number[] = [];
    for (const { closed } of streams) void closed.then(() => times.push(performance.now()));
    const exit = once(instance.process, 'exit');
    instance.process.kill('SIGTERM');
    await instance.line('draining');
    const startedAt = performance.now();
    await Promise.all(streams.map(({ closed }) => closed));
    expect(await exit).to.deep.equal([0, null]);

    const closings = streams.map(({ messages }) => messages.at(-1));
    expect(closings.map((message) => message?.type)).to.deep.equal(streams.map(() => 'closing'));
    const seconds = closings.map((message) => message?.retry_after_seconds ?? Number.NaN);
    for (const each of seconds) expect(each).to.be.within(0.5, 5);
    expect(events.map(({ retryMs }) => retryMs())).to.deep.equal(
      seconds.slice(0, events.length).map((each) => Math.round(each * 1_000)),
    );
    expect(await Promise.all(webSockets.map(({ code }) => code))).to.deep.equal(each.map(() => RESTART_CODE));
    const closedIn = histogram(
      times.map((at) => at - startedAt),
      0,
      DRAIN_MS,
    );
    const reconnecting = histogram(seconds, 0.5, 5);
    console.log(`      ${streams.length} streams closed by tenths of ${DRAIN_MS} ms: ${closedIn.join(' ')}`);
    console.log(`      they reconnect by tenths of 0.5 to 5 s: ${reconnecting.join(' ')}`);
    // A single wave would have all of them in one bin.
    for (const bins of [closedIn, reconnecting])
      expect(Math.max(...bins), bins.join(' ')).to.be.at.most(streams.length / 3);
  });
});

/** The number of values in each tenth from `min` to `max`; values outside count in the first and the last. */
function histogram(values: readonly number[], min: number, max: number): readonly number[] {
  const bins = Array.from({ length: BINS }, () => 0);
  for (const value of values) {
    const bin = Math.floor(((value - min) / (max - min)) * BINS);
    const n = Math.min(BINS - 1, Math.max(0, bin));
    bins[n] = (bins[n] ?? 0) + 1;
  }
  return bins;
}
