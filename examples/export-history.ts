// Adds every new change of the feed to history.ndjson, one in each line. It goes on after the last line of the file,
// also after a crash. Start it as often as you like.
// Run it: node export-history.ts
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { type HistoryChange, Oddswire } from '@oddswire/client';

const { ODDSWIRE_URL: url = 'http://localhost:8080', ODDSWIRE_KEY: key } = process.env;
const file = openSync('history.ndjson', 'a+');
const { size } = fstatSync(file);
const tail = Buffer.alloc(Math.min(size, 16_000_000));
readSync(file, tail, 0, tail.length, size - tail.length);
// A crash can leave the begin of a line. Its change is read again.
const end = tail.lastIndexOf('\n') + 1;
ftruncateSync(file, size - tail.length + end);
const last = tail.subarray(0, end).toString().trimEnd().split('\n').at(-1);
const after = last ? (JSON.parse(last) as HistoryChange).position : undefined;

let added = 0;
for await (const change of new Oddswire({ url, key }).history({ after })) {
  writeSync(file, `${JSON.stringify(change)}\n`);
  added += 1;
}
closeSync(file);
console.log(`${added} changes added`);
