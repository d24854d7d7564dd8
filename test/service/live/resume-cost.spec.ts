import { expect } from 'chai';
import { readStream } from '../../support/live/stream-reader.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, publishAll, startOfMinute } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const ITEMS = 1_001;

describe('A stream that resumes', function () {
  this.timeout(60_000);

  it('costs one request for each 500 items that it is sent, and at least one (D46)', async () => {
    const service = await startService({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
    });
    const url = service.instances[0]?.url ?? '';
    const client = await Client.of(service);
    const { key } = await aKey(client);
    const headers = { 'X-API-Key': key };
    const position = async () =>
      (await fetch(`${url}/pm/v2/news?limit=1`, { headers })).headers.get('Feed-Position');
    const used = async () => {
      const { json } = await send(`${url}/pm/v2/usage`, { headers });
      return (json as { readonly limits: readonly [{ readonly used: number }] }).limits[0].used;
    };
    await publishAll(client, [publication({ id: 'first' })]);
    const start = await position();
    const ids = Array.from({ length: ITEMS }, (_, n) => `ne_${n}`);
    for (let from = 0; from < ITEMS; from += 100)
      await publishAll(
        client,
        ids.slice(from, from + 100).map((id) => publication({ id })),
      );
    const near = await position();
    await startOfMinute(client);

    const cost = async (query: string, sent: number) => {
      const before = await used();
      const { messages, close } = await readStream(url, key, { query });
      await until(true, () => messages.some(({ type }) => type === 'live'));
      expect(messages.filter(({ type }) => type === 'item')).to.have.length(sent);
      close();
      return (await used()) - before;
    };
    expect(await cost(`?after=${start}`, ITEMS)).to.equal(3);
    expect(await cost(`?after=${start}&market_id=none`, 0)).to.equal(1);
    expect(await cost(`?after=${near}`, 0)).to.equal(1);
    await service.stop();
  });
});
