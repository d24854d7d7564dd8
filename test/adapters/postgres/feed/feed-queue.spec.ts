import { expect } from 'chai';
import type { Knex } from 'knex';
import { lockFeed } from '../../../../src/adapters/postgres/feed/feed-writing.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PublicationRefused } from '../../../../src/application/unavailable.js';
import { item } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { signal } from '../../../support/service/composed.js';

describe('The queue of publications of one instance', () => {
  const QUEUE_MS = 100;
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  it('refuses a publication that waits too long, stores none of it, and goes on behind the slow one', async () => {
    const store = new PostgresFeedStore(db, QUEUE_MS);
    let micros = 1;
    const publish = (id: string) => store.publish([item(id, micros++)], 'live');
    const [locked, unlock] = [signal(), signal()];
    const other = db.transaction(async (tx) => {
      await lockFeed(tx);
      locked.send();
      await unlock.sent;
    });
    await locked.sent;

    const slow = publish('slow');
    const refused = await publish('refused').then(
      () => null,
      (fault: unknown) => fault,
    );
    expect(refused).to.be.instanceOf(PublicationRefused);
    const later = publish('later');
    unlock.send();
    await Promise.all([other, slow, later]);

    const { items } = await store.find(['slow', 'refused', 'later']);
    expect(items.map(({ id }) => id).toSorted()).to.deep.equal(['later', 'slow']);
  });
});
