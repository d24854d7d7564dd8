import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { item } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

/** Each statement is a round trip, and the others wait for the lock meanwhile (D11). */
describe('A publication', () => {
  let schema: Schema;
  let db: Knex;
  let store: PostgresFeedStore;
  const sent: string[] = [];
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
    store = new PostgresFeedStore(db);
    db.on('query', ({ sql }: { readonly sql: string }) => sent.push(sql));
  });
  after(() => schema.close());
  beforeEach(() => sent.splice(0));

  it('takes five statements, also of many items with new terms, and a sixth if it replaces items', async () => {
    const items = Array.from({ length: 20 }, (_, i) => item(`many-${i}`, i));
    await store.publish(items, 'live');
    expect(sent, sent.join('\n')).to.have.length(5);
    sent.splice(0);
    await store.publish([item('many-0', 30)], 'live');
    expect(sent, sent.join('\n')).to.have.length(6);
  });

  it('that changes nothing takes four', async () => {
    await store.publish([item('same', 40)], 'live');
    sent.splice(0);
    await store.publish([item('same', 40)], 'live');
    expect(sent, sent.join('\n')).to.have.length(4);
  });

  it('takes six into the past, because the taken times are read', async () => {
    await store.publish([item('past', 1_000)], 'backfill');
    expect(sent, sent.join('\n')).to.have.length(6);
  });

  it('that is retracted takes five', async () => {
    await store.publish([item('retracted', 2_000)], 'live');
    sent.splice(0);
    await store.retract('retracted');
    expect(sent, sent.join('\n')).to.have.length(5);
  });
});
