import { expect } from 'chai';
import { connect, disconnect, REQUEST_PATIENCE } from '../../../src/adapters/postgres/connection.js';
import { PostgresInvalidations } from '../../../src/adapters/postgres/postgres-invalidations.js';
import type { Invalidation } from '../../../src/application/ports/invalidations.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { startTestPostgres } from '../../support/servers/postgres.js';
import { freshSchema } from '../../support/servers/stores.js';

describe('Hints through Postgres', () => {
  it('are heard again after it was gone, and those of its own meanwhile', async () => {
    const postgres = await startTestPostgres();
    const pools = [1, 2].map(() => connect(postgres.url, REQUEST_PATIENCE, 2));
    const [left, right] = pools.map((db) => new PostgresInvalidations(db, postgres.url));
    if (left === undefined || right === undefined) throw new Error('two were made');
    await Promise.all([left.start(), right.start()]);
    const heard: { readonly left: Invalidation[]; readonly right: Invalidation[] } = { left: [], right: [] };
    left.listen((invalidation) => heard.left.push(invalidation));
    right.listen((invalidation) => heard.right.push(invalidation));
    await postgres.kill();
    await left.send({ changed: 'feed' });
    expect(heard).to.deep.equal({ left: [{ changed: 'feed' }], right: [] });
    await postgres.restart();
    while (heard.right.length === 0) {
      await left.send({ changed: 'feed' });
      await new Promise((done) => setTimeout(done, 20));
    }
    await Promise.all([left.close(), right.close()]);
    await Promise.all(pools.map((db) => disconnect(db)));
    await postgres.stop();
  });

  it('reach others whole, however many keys they name: a notification holds 8 000 bytes', async () => {
    const schema = await freshSchema();
    const [left, right] = [1, 2].map(() => new PostgresInvalidations(schema.connect(), schema.url));
    if (left === undefined || right === undefined) throw new Error('two were made');
    await Promise.all([left.start(), right.start()]);
    const keys = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(64, '0') as KeyHash);
    const heard = new Set<KeyHash>();
    const all = new Promise<void>((done) => {
      right.listen((invalidation) => {
        if (invalidation.changed === 'account') for (const hash of invalidation.keys) heard.add(hash);
        if (heard.size === keys.length) done();
      });
    });
    await left.send({ changed: 'account', keys });
    await all;
    expect([...heard].sort()).to.deep.equal(keys);
    await Promise.all([left.close(), right.close()]);
    await schema.close();
  });

  it('are not disturbed by whatever else is said on their channel', async () => {
    const schema = await freshSchema();
    const db = schema.connect();
    const [left, right] = [1, 2].map(() => new PostgresInvalidations(schema.connect(), schema.url));
    if (left === undefined || right === undefined) throw new Error('two were made');
    await Promise.all([left.start(), right.start()]);
    const heard: Invalidation[] = [];
    const last = new Promise<void>((done) => {
      right.listen((invalidation) => {
        heard.push(invalidation);
        done();
      });
    });
    for (const nonsense of ['', 'nonsense', 'null', '{"from":"x","signal":{"changed":"weather"}}']) {
      await db.raw("select pg_notify('oddswire_' || md5(current_schema()), ?)", [nonsense]);
    }
    await left.send({ changed: 'feed' });
    await last;
    expect(heard).to.deep.equal([{ changed: 'feed' }]);
    await Promise.all([left.close(), right.close()]);
    await schema.close();
  });

  it('stay within a schema: two services may share a database', async () => {
    const schemas = [await freshSchema(), await freshSchema()];
    const [here, there] = schemas.map((schema) => new PostgresInvalidations(schema.connect(), schema.url));
    const [first] = schemas;
    if (here === undefined || there === undefined || first === undefined) throw new Error('two were made');
    const beside = new PostgresInvalidations(first.connect(), first.url);
    await Promise.all([here.start(), there.start(), beside.start()]);
    const strange: Invalidation[] = [];
    there.listen((invalidation) => strange.push(invalidation));
    const heard = new Promise<Invalidation>((done) => void beside.listen(done));
    await here.send({ changed: 'feed' });
    expect(await heard).to.deep.equal({ changed: 'feed' });
    expect(strange).to.deep.equal([]);
    await Promise.all([here, there, beside].map((invalidations) => invalidations.close()));
    await Promise.all(schemas.map((schema) => schema.close()));
  });
});
