// Measures open streams: the service compared with a bare loop that writes the same bytes to the same number of connections.
//   npm run bench:live [-- --streams 10000 --seconds 20 --items 10000 --form sse|websocket|rest]
// `items`: the number of items that are published before the measurement, and again to compare the memory. Without `form`, it
// measures Server-Sent Events, then WebSockets, then requests beside idle streams. It starts its own Postgres and Redis and
// stops them.
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openFilesMax } from '../dist/src/adapters/system/open-files.js';
import { streamsAtOnce } from '../dist/src/domain/limits/streams.js';
import { measureAlternating } from './live-phases.mjs';
import { startReaders } from './live-readers.mjs';
import { printLive } from './live-report.mjs';
import { measureRequests } from './live-requests.mjs';
import { startBareLoop, startServed } from './live-targets.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { startStores } from './stores.mjs';

const DEFAULTS = { streams: 10_000, seconds: 20, items: 10_000 };
const FORMS = ['sse', 'websocket', 'rest'];
/** Each opens half of the streams: a process may have 20 000 open files on many machines. */
const READERS = 2;
const OTHER_FILES = 200;
/** So that connections that were closed do not disturb the next measurement. */
const SETTLE_MS = 2_000;

await runBench(async () => {
  const { forms, ...options } = readOptions();
  requireFiles(options.streams);
  const stores = await startStores({ max_connections: '100' });
  const readers = [startReaders(READERS), startReaders(READERS)];
  console.log(`${availableParallelism()} cores for the measured process, the readers, Postgres and Redis`);
  for (const form of forms) {
    if (form === 'rest') await measureRequests(stores, readers[0], options);
    else await measureForm(form, await stores.next(), readers, options);
  }
});

/** The service and the bare loop have their streams open at the same time, each with its own readers. */
async function measureForm(form, stores, readers, options) {
  const served = await startServed(form, stores, options.items);
  const bare = await startBareLoop(served);
  const targets = [served, bare].map((target, i) => ({ ...target, readers: readers[i] }));
  const [ofService, ofBareLoop] = await measureAlternating(targets, options);
  await Promise.all([served.stop(), bare.stop()]);
  printLive({ form, frames: served.frames.items, ...options }, ofService, ofBareLoop);
  await pause(SETTLE_MS);
}

function readOptions() {
  const names = Object.keys(DEFAULTS);
  const { values } = parseArgs({
    options: Object.fromEntries([...names, 'form'].map((name) => [name, { type: 'string' }])),
  });
  const numbers = names.map((name) => [name, Number(values[name] ?? DEFAULTS[name])]);
  for (const [name, value] of numbers) {
    if (!Number.isInteger(value) || value < 1)
      throw new BenchFailure(`--${name} must be a whole number above 0, but it is "${values[name]}"`);
  }
  if (values.form !== undefined && !FORMS.includes(values.form))
    throw new BenchFailure(`--form must be ${FORMS.join(', ')}, but it is "${values.form}"`);
  return { ...Object.fromEntries(numbers), forms: values.form === undefined ? FORMS : [values.form] };
}

/** The service uses only a part of the files that a process may open. */
function requireFiles(streams) {
  const files = openFilesMax();
  if (files === null || streamsAtOnce(Number.MAX_SAFE_INTEGER, files - OTHER_FILES) >= streams) return;
  throw new BenchFailure(
    `a process may open ${files} files, too few for ${streams} streams: use --streams, or raise the limit (ulimit -n)`,
  );
}
