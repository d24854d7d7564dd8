import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { migrate, revertMigration } from '../../../src/adapters/postgres/migrate.js';
import { VERSION } from '../../../src/settings/version.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, aKey, ids, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import {
  type Instance,
  killed,
  type Launched,
  launchInstance,
  serviceOf,
} from '../../support/service/running-service.js';
import { ADDITIVE, BREAKING, LATER_VERSION, laterRelease } from '../../support/versions/later-release.js';

const NEWER_SCHEMA = 'the database has a newer schema, which this version can run on';

/** A process of this version while a later version migrates the same database. */
describe('A process older than the schema', function () {
  this.timeout(60_000);
  let url: string;
  let db: Knex;
  let launched: Launched[];
  beforeEach(async () => {
    url = await freshDatabase(serverUrl());
    db = connect(url, LONG_TIMEOUTS, 1);
    launched = [];
  });
  afterEach(async () => {
    await Promise.all(launched.map((one) => one.stop()));
    await disconnect(db);
  });

  const launch = (MIGRATE = 'on'): Launched => {
    const one = launchInstance({ DATABASE_URL: url, REDIS_URL: redisUrl(), MIGRATE });
    launched.push(one);
    return one;
  };
  const clientOf = (instance: Instance) => Client.of(serviceOf(instance));
  const migrations = (): Promise<readonly string[]> => db('knex_migrations').orderBy('id').pluck('name');

  /** Publishes, reads, issues a key and revokes it. */
  async function serves(client: Client, id: string): Promise<void> {
    await publishAll(client, [publication({ id })]);
    const { key, key_id } = await aKey(client);
    const page = await client.news(key);
    expect([page.status, ids(page)[0]]).to.deep.equal([200, id]);
    expect((await actOn(client, key_id, 'revoke', { cause: 'manual' })).status).to.equal(200);
    expect((await client.news(key)).status).to.equal(401);
  }

  it('works on and restarts after an additive migration, and changes no migration itself', async () => {
    const later = laterRelease(ADDITIVE);
    const running = await launch().listening;
    const client = await clientOf(running);
    const kept = await aKey(client);
    await serves(client, 'before');
    await migrate(url, later);
    const names = await migrations();
    await serves(client, 'running');
    expect((await client.news(kept.key)).status).to.equal(200);

    await killed(running);
    for (const MIGRATE of ['on', 'off']) {
      const again = await launch(MIGRATE).listening;
      const other = await clientOf(again);
      expect((await other.news(kept.key)).status).to.equal(200);
      await serves(other, `again-${MIGRATE}`);
      expect(again.output.filter((line) => line.includes(NEWER_SCHEMA))).to.have.length(1);
      expect(await again.line(NEWER_SCHEMA)).to.include(ADDITIVE.name);
      expect(await migrations()).to.deep.equal(names);
      await killed(again);
    }
    await revertMigration(url, later);
    const last = await launch().listening;
    await serves(await clientOf(last), 'back');
    expect(last.output.join('\n')).not.to.include(NEWER_SCHEMA);
  });

  it('fails to start with one line after a breaking migration, until that is rolled back', async () => {
    const later = laterRelease(ADDITIVE, BREAKING);
    const running = await launch().listening;
    const client = await clientOf(running);
    const kept = await aKey(client);
    await serves(client, 'before');
    await migrate(url, later);
    await killed(running);
    for (const MIGRATE of ['on', 'off']) {
      const refused = launch(MIGRATE);
      const fault = String(await refused.listening.catch((thrown: unknown) => thrown));
      expect(fault).to.include('the service exited with 1');
      expect(fault).to.include(
        `oddswire: cannot start: the database has a newer schema, which needs version ${LATER_VERSION} or later; this is version ${VERSION}`,
      );
      expect(fault).not.to.match(/^\s+at /m);
    }
    // Only the breaking migration is rolled back: the additive one stays, and the process starts.
    expect(await revertMigration(url, later)).to.deep.equal([BREAKING.name]);
    const again = await launch().listening;
    const other = await clientOf(again);
    expect((await other.news(kept.key)).status).to.equal(200);
    await serves(other, 'again');
    expect(await again.line(NEWER_SCHEMA)).to.include(ADDITIVE.name);
  });
});
