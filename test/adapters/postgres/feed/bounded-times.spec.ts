import { expect } from 'chai';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import {
  between,
  fromEpochMillis,
  HOUR,
  MINUTE,
  type Moment,
  plus,
  SECOND,
} from '../../../../src/domain/moment.js';
import { item } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

describe('The times of items in Postgres', () => {
  let schema: Schema;
  before(async () => {
    schema = await freshSchema();
  });
  after(() => schema.close());

  it('are at most 5 s ahead of the clock of Postgres, whatever the instance says (D5)', async () => {
    const store = new PostgresFeedStore(schema.connect());
    const now = fromEpochMillis(Date.now());
    const ahead = (one?: { readonly scoredAt: Moment }) => between(now, one?.scoredAt ?? plus(now, HOUR));
    const [published] = await store.publish([{ ...item('early', 1), scoredAt: plus(now, HOUR) }], 'live');
    expect(ahead(published)).to.be.within(4 * SECOND, MINUTE);

    const [next] = await store.publish([{ ...item('next', 2), scoredAt: now }], 'live');
    expect(ahead(next), 'after the head').to.be.below(MINUTE);
  });
});
