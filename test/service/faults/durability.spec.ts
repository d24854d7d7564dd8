import { expect } from 'chai';
import type { PublishingReport } from '../../../src/adapters/http/feed/publishing.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { aKey, ids, ndjson } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { launchInstance, type Service } from '../../support/service/running-service.js';

const TOKENS = { operator: 'operator-token-of-the-tests', publisher: 'publisher-token-of-the-tests' };
const BATCH = 20;
const BATCHES = 60;

/** Acknowledged items survive SIGKILL of the service and of Postgres, with fsync on. */
describe('An acknowledged publication', function () {
  this.timeout(90_000);
  let postgres: TestPostgres;
  let service: Service;
  before(async () => {
    postgres = await startTestPostgres({ durable: true });
    service = await started();
  });
  after(async () => {
    await service.stop();
    await postgres.stop();
  });

  async function started(): Promise<Service> {
    const launched = launchInstance({ DATABASE_URL: postgres.url });
    const instance = await launched.listening;
    return {
      instances: [instance],
      tokens: TOKENS,
      stateDir: '',
      stop: async () => void (await instance.stop()),
    };
  }

  const batch = (n: number) => Array.from({ length: BATCH }, (_, i) => publication({ id: `item-${n}-${i}` }));

  /** Publishes a batch. True if all items were acknowledged; false without an answer, or if it must be repeated. */
  async function post(n: number): Promise<boolean> {
    try {
      const reply = await send(`${service.instances[0]?.internalUrl}/internal/v1/news`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKENS.publisher}`, 'Content-Type': 'application/x-ndjson' },
        body: ndjson(batch(n)),
      });
      // A batch whose answer was lost is unchanged (D11).
      const { accepted, unchanged } = reply.json as PublishingReport;
      return reply.status === 200 && accepted + unchanged === BATCH;
    } catch {
      return false;
    }
  }

  it('is served exactly once after ten kills of the service and of Postgres', async () => {
    const acknowledged: number[] = [];
    let repeated = 0;
    let kills = 0;
    for (let n = 0; n < BATCHES; n += 1) {
      // Kills at a random point during the batch.
      const killing = n % 6 === 3 ? kill(kills++ % 2 === 0) : undefined;
      if (!(await post(n))) {
        repeated += 1;
        await killing;
        while (!(await post(n)));
      }
      await killing;
      acknowledged.push(n);
    }
    console.log(`      ${kills} kills, ${repeated} batches sent again after a lost answer`);
    const client = await Client.of(service);
    const { key } = await aKey(client);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const reply = await client.news(key, `?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...ids(reply));
      cursor = (reply.json as { readonly next_cursor: string | null }).next_cursor;
    }
    const expected = acknowledged.flatMap((n) => batch(n).map((item) => item.news_event.id));
    expect(seen).to.have.length(expected.length);
    expect(seen).to.have.members(expected);
    expect(kills).to.equal(10);
  });

  async function kill(isService: boolean): Promise<void> {
    await new Promise((done) => setTimeout(done, Math.random() * 20));
    if (isService) {
      const [instance] = service.instances;
      instance?.process.kill('SIGKILL');
      service = await started();
    } else {
      await postgres.kill();
      await postgres.restart();
    }
  }
});
