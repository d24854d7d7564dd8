import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Instances } from '../../../../src/adapters/postgres/instances.js';
import { freshSchema } from '../../../support/servers/stores.js';

describe('A heartbeat', () => {
  it('deletes the rows of instances that sent none for a minute, and no others', async () => {
    const schema = await freshSchema();
    try {
      const db = schema.connect();
      const [old, recent] = [randomUUID(), randomUUID()];
      await db.raw(
        `insert into instance (id, seen_at) values
           (?, clock_timestamp() - interval '61 seconds'), (?, clock_timestamp() - interval '30 seconds')`,
        [old, recent],
      );
      const instances = new Instances(db, () => {});
      await instances.beat();
      expect(await db('instance').pluck('id')).to.have.members([recent, instances.id]);
      await instances.close();
    } finally {
      await schema.close();
    }
  });
});
