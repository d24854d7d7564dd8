// Downloads an export of the history again and again until it is ended, in a process of its own, so that reading it takes no time of
// the bench. Prints a line of JSON for each download, and one for all of them at SIGTERM.
// Usage: node bench/history-export.mjs <url of the export> <key> <times>
import { once } from 'node:events';
import { get } from 'node:http';

const [url, key, times] = process.argv.slice(2);
const headers = { 'X-API-Key': key, Accept: 'application/x-ndjson', 'Accept-Encoding': 'identity' };

const begun = performance.now();
let total = 0;
process.once('SIGTERM', () => {
  const line = JSON.stringify({ bytes: total, seconds: (performance.now() - begun) / 1_000 });
  process.stdout.write(`${line}\n`, () => process.exit());
});

for (let done = 0; done < Number(times); ) {
  const at = performance.now();
  const [response] = await once(get(url, { headers, agent: false }), 'response');
  let bytes = 0;
  let end = Buffer.alloc(0);
  for await (const chunk of response) {
    bytes += chunk.length;
    total += chunk.length;
    // A copy of each chunk would take processor time from the service.
    end = (chunk.length < 1_000 ? Buffer.concat([end, chunk]) : chunk).subarray(-1_000);
  }
  // The slot of the download before may not be free yet.
  if (response.statusCode === 429) continue;
  const isComplete = end.toString().trimEnd().split('\n').at(-1).includes('"type":"complete"');
  if (!isComplete) throw new Error(`the export ended early: ${response.statusCode} ${end}`);
  done += 1;
  console.log(JSON.stringify({ bytes, seconds: (performance.now() - at) / 1_000 }));
}
