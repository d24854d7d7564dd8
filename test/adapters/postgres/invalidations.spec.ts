import { expect } from 'chai';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { PostgresInvalidations } from '../../../src/adapters/postgres/postgres-invalidations.js';
import type { Invalidation } from '../../../src/application/ports/invalidations.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { startTestPostgres } from '../../support/servers/postgres.js';
import { freshSchema } from '../../support/servers/stores.js';

describe('Invalidations through Postgres', () => {
  it('reach other instances again after an outage, and local listeners even during it', async () => {
    const postgres = await startTestPostgres();
    const pools = [1, 2].map(() => connect(postgres.url, REQUEST_TIMEOUTS, 2));
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

  it('reach other instances with all keys, although a notification has at most 8 000 bytes', async () => {
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

  it('are not affected by other messages on their channel', async () => {
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

  it('stay within a schema, so that two services can share a database', async () => {
    const schemas = [await freshSchema(), await freshSchema()];
    const [sender, stranger] = schemas.map(
      (schema) => new PostgresInvalidations(schema.connect(), schema.url),
    );
    const [first] = schemas;
    if (sender === undefined || stranger === undefined || first === undefined) {
      throw new Error('two were made');
    }
    const neighbour = new PostgresInvalidations(first.connect(), first.url);
    await Promise.all([sender.start(), stranger.start(), neighbour.start()]);
    const heardByStranger: Invalidation[] = [];
    stranger.listen((invalidation) => heardByStranger.push(invalidation));
    const heard = new Promise<Invalidation>((done) => void neighbour.listen(done));
    await sender.send({ changed: 'feed' });
    expect(await heard).to.deep.equal({ changed: 'feed' });
    expect(heardByStranger).to.deep.equal([]);
    await Promise.all([sender, stranger, neighbour].map((invalidations) => invalidations.close()));
    await Promise.all(schemas.map((schema) => schema.close()));
  });
});
