import { expect } from 'chai';
import { BASE64_TEXTS } from '../../../src/adapters/postgres/connection.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';

describe('A text that Postgres returns in base64', () => {
  let schema: Schema;
  before(async () => {
    schema = await freshSchema();
  });
  after(() => schema.close());

  it('is read as its bytes, also if it is empty, long or not ASCII', async () => {
    const texts = ['', 'é—€😀', 'x'.repeat(10_000)];
    const { rows } = await schema
      .connect()
      .raw(
        "select encode(convert_to(text, 'UTF8'), 'base64')::varchar as bytes from unnest(?::text[]) with ordinality as given (text, n) order by n",
        [texts],
      )
      .options(BASE64_TEXTS);
    const read = rows.map(({ bytes }: { readonly bytes: Buffer }) => bytes.toString('utf8'));
    expect(read).to.deep.equal(texts);
  });

  it('has a type that no column of our tables has', async () => {
    const { rows } = await schema
      .connect()
      .raw(
        "select table_name, column_name from information_schema.columns where table_schema = current_schema() and data_type = 'character varying' and table_name not like 'knex%'",
      );
    expect(rows).to.deep.equal([]);
  });
});
