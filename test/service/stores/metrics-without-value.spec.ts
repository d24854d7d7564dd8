import { expect } from 'chai';
import { freshDatabase } from '../../support/servers/postgres.js';
import { serverUrl } from '../../support/servers/stores.js';
import { ask, type Composed, composed, publish } from '../../support/service/composed.js';

/** The head of the feed after `publish(…, 'a', 'b', 'c')` as a Unix time: 2026-03-01T10:00:02Z. */
const HEAD_OF_THREE = 1_772_359_202;

const FEED = {
  version: 'oddswire_feed_version',
  copied: 'oddswire_copied_items',
  head: 'oddswire_feed_head_timestamp_seconds',
} as const;
const RECONCILED = 'oddswire_reconciled_timestamp_seconds';

describe('A gauge at /metrics', () => {
  let service: Composed;
  afterEach(() => service.stop());

  /** The value of a gauge; null if it is absent. */
  const sample = async (name: string): Promise<number | null> => {
    const { body } = await ask(`${service.internalUrl}/metrics`);
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(body.toString('utf8'));
    return found === null ? null : Number(found[1]);
  };
  const figures = async () => ({
    version: await sample(FEED.version),
    copied: await sample(FEED.copied),
    head: await sample(FEED.head),
  });

  it('of the last reconciliation is absent until the first one', async () => {
    service = await composed();
    expect(await sample(RECONCILED)).to.equal(null);
    service.parts.metrics.reconciled(1_772_366_400);
    expect(await sample(RECONCILED)).to.equal(1_772_366_400);
  });

  it('of the feed in memory has version and head; that of copied items is absent', async () => {
    service = await composed();
    expect(await figures()).to.deep.equal({ version: 0, copied: null, head: null });
    await publish(service, 'a', 'b', 'c');
    expect(await figures()).to.deep.equal({ version: 3, copied: null, head: HEAD_OF_THREE });
  });

  it('of the feed in Postgres has the values of the copy in the process, without a query', async () => {
    service = await composed({ DATABASE_URL: await freshDatabase(serverUrl()) });
    await publish(service, 'a', 'b', 'c');
    expect(await figures()).to.deep.equal({ version: 3, copied: 3, head: HEAD_OF_THREE });
    await service.parts.feed.retract('c');
    expect(await figures()).to.deep.equal({ version: 4, copied: 2, head: HEAD_OF_THREE });
  });

  it('of the head of an empty feed in Postgres is absent', async () => {
    service = await composed({ DATABASE_URL: await freshDatabase(serverUrl()) });
    while ((await sample(FEED.copied)) === null);
    expect(await figures()).to.deep.equal({ version: 0, copied: 0, head: null });
  });
});
