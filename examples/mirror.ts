// Keeps a copy of the feed in the SQLite database feed.db. It can be killed at any moment: a change and the position
// after it are one transaction. Run it: node mirror.ts
import { type FeedItem, Oddswire, OddswireError } from '@oddswire/client';
import Database from 'libsql'; // npm install libsql; better-sqlite3 has the same interface

const { ODDSWIRE_URL: url = 'http://localhost:8080', ODDSWIRE_KEY: key } = process.env;
const oddswire = new Oddswire({ url, key });
const db = new Database('feed.db');
db.exec('pragma journal_mode = wal; create table if not exists item (id text primary key, body text)');
db.exec('create table if not exists feed (one integer primary key, position text)');
const write = (sql: string, ...values: readonly string[]) => db.prepare(sql).run(...values);
const store = db.transaction((items: readonly FeedItem[], removed: string, position: string) => {
  for (const item of items)
    write('replace into item values (?, ?)', item.news_event.id, JSON.stringify(item));
  write('delete from item where id = ?', removed);
  write('replace into feed values (1, ?)', position);
});
for (;;) {
  const [stored] = db.prepare('select position from feed').all() as { position: string }[];
  const walk = oddswire.walk();
  if (stored === undefined) store(await walk.toArray(), '', walk.position);
  try {
    for await (const message of oddswire.follow({ after: stored?.position ?? walk.position }))
      if (message.type === 'item') store([message.item], '', message.position);
      else store([], message.type === 'retraction' ? message.id : '', message.position);
  } catch (error) {
    if (!(error instanceof OddswireError && error.code === 'position_expired')) throw error;
    db.exec('delete from item; delete from feed'); // In this order. Then walk again.
  }
}
