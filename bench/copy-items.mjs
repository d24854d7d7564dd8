import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { plus, SECOND } from '../dist/src/domain/moment.js';

/** Rows are written in chunks of about this size. */
const CHUNK_CHARACTERS = 1 << 20;
const KEYS = {
  item: ['item_pkey primary key (id)', 'item_scored_at_unique unique (scored_at)'],
  item_sub_market: ['item_sub_market_pkey primary key (sub_market_id, scored_at)'],
};

/**
 * Fills the feed of a new database with `count` items at intervals of one second, the last at `newest`. `itemOf(n)` returns
 * the JSON of an item in pieces, with its id and its time to insert between them, and the ids of its sub-markets. The items
 * have no terms, but count as indexed: otherwise the service would index them during the measurement.
 */
export async function copyItems(url, count, newest, itemOf) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set synchronous_commit = off');
  // Constraints are created after the copy: that is several times as fast.
  for (const [table, keys] of Object.entries(KEYS))
    for (const key of keys) await client.query(`alter table ${table} drop constraint ${key.split(' ')[0]}`);
  await copy(client, 'item (id, scored_at, json, sub_market_ids, has_terms)', count, newest, itemRow(itemOf));
  await copy(
    client,
    'item_sub_market (sub_market_id, scored_at, item_id)',
    count,
    newest,
    marketRows(itemOf),
  );
  await client.query("set maintenance_work_mem = '512MB'");
  for (const [table, keys] of Object.entries(KEYS))
    for (const key of keys) await client.query(`alter table ${table} add constraint ${key}`);
  await client.query('update feed_head set head = $1', [newest]);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}

async function copy(client, target, count, newest, rowOf) {
  const rows = function* () {
    let text = '';
    for (let n = 1; n <= count; n += 1) {
      text += rowOf(n, `ne_${n}`, plus(newest, (n - count) * SECOND));
      if (text.length < CHUNK_CHARACTERS) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(text);
  };
  await pipeline(Readable.from(rows()), client.query(from(`copy ${target} from stdin`)));
}

const itemRow = (itemOf) => (n, id, at) => {
  const { hex, subMarketIds } = itemOf(n);
  const [first, second, third] = hex;
  return `${id}\t${at}\t\\\\x${first}${hexOf(id)}${second}${hexOf(at)}${third}\t{${subMarketIds.join(',')}}\tt\n`;
};

const marketRows = (itemOf) => (n, id, at) =>
  itemOf(n)
    .subMarketIds.map((market) => `${market}\t${at}\t${id}\n`)
    .join('');

/** The JSON of an item, split at its id and its time, in hex for `COPY`. */
export function pieces(item) {
  const text = JSON.stringify({
    ...item,
    news_event: { ...item.news_event, id: '@id@' },
    scored_at: '@at@',
  });
  return text.split(/@id@|@at@/).map(hexOf);
}

function hexOf(text) {
  return Buffer.from(text).toString('hex');
}
