import { expect } from 'chai';
import type { Knex } from 'knex';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import { freshSchema } from '../../support/servers/stores.js';

describe('An instance on a database', () => {
  let schema: Awaited<ReturnType<typeof freshSchema>>;
  let db: Knex;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  afterEach(() => schema.close());

  const instance = () => new Instances(db, () => {});

  it('is alone after two heartbeats in a row without another instance', async () => {
    const one = instance();
    const seen: boolean[] = [];
    for (let beat = 0; beat < 3; beat += 1) {
      seen.push(one.isAlone);
      await one.beat();
    }
    expect([...seen, one.isAlone]).to.deep.equal([false, false, true, true]);
  });

  it('is not alone while another one runs, from its next heartbeat on', async () => {
    const [one, other] = [instance(), instance()];
    for (let beat = 0; beat < 2; beat += 1) await one.beat();
    for (let beat = 0; beat < 2; beat += 1) await other.beat();
    expect(other.isAlone).to.equal(false);
    await one.beat();
    expect(one.isAlone).to.equal(false);
    await other.close();
    for (let beat = 0; beat < 2; beat += 1) await one.beat();
    expect(one.isAlone).to.equal(true);
  });

  it('is not alone after a heartbeat that failed', async () => {
    const one = instance();
    for (let beat = 0; beat < 2; beat += 1) await one.beat();
    await db.schema.renameTable('instance', 'renamed');
    expect(await one.beat().catch(() => 'failed')).to.equal('failed');
    expect(one.isAlone).to.equal(false);
    await db.schema.renameTable('renamed', 'instance');
    await one.beat();
    expect(one.isAlone).to.equal(false);
  });
});
