import { expect } from 'chai';
import pg from 'pg';
import { PostgresInvalidations } from '../../../../src/adapters/postgres/postgres-invalidations.js';
import type { KeyHash } from '../../../../src/domain/keys/key-value.js';
import { freshSchema } from '../../../support/servers/stores.js';

/** During a rolling update the previous version listens on the same channel. */
describe('Messages through Postgres', () => {
  it('use one channel per schema, and contain the sender and the change', async () => {
    const schema = await freshSchema();
    const db = schema.connect();
    const { rows } = await db.raw('select md5(current_schema()) as md5');
    const channel = `oddswire_${rows[0].md5}`;
    const peer = new pg.Client({ connectionString: schema.url });
    await peer.connect();
    const messages: string[] = [];
    peer.on('notification', ({ payload }) => void messages.push(payload ?? ''));
    await peer.query(`listen ${channel}`);
    const invalidations = new PostgresInvalidations(db, schema.url);
    await invalidations.start();
    await invalidations.send({ changed: 'account', keys: ['a hash'] as KeyHash[] });
    await invalidations.send({ changed: 'feed' });
    while (messages.length < 2) await new Promise((done) => setTimeout(done, 5));
    const [sender = ''] = /[\da-f-]{36}/.exec(messages[0] ?? '') ?? [];
    expect(messages).to.have.members([
      `{"from":"${sender}","signal":{"changed":"account","keys":["a hash"]}}`,
      `{"from":"${sender}","signal":{"changed":"feed"}}`,
    ]);

    const heard: unknown[] = [];
    invalidations.listen((invalidation) => void heard.push(invalidation));
    for (const text of [
      '{"from":"x","signal":{"changed":"account","keys":["a hash"]}}',
      '{"from":"x","signal":{"changed":"feed"}}',
    ]) {
      await peer.query('select pg_notify($1, $2)', [channel, text]);
    }
    while (heard.length < 2) await new Promise((done) => setTimeout(done, 5));
    expect(heard).to.deep.equal([{ changed: 'account', keys: ['a hash'] }, { changed: 'feed' }]);
    await peer.end();
    await invalidations.close();
    await schema.close();
  });
});
