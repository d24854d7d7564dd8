// The processes whose streams `npm run bench:live` measures. Each has a URL, a process id, a key, a function that publishes
// items, and `ask`: the answer of `live-probe.mjs` in it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { nextMessage } from './child-messages.mjs';
import { proKeys, publish } from './internal-calls.mjs';
import { FrameReader, pongTo, streamRequest } from './live-frames.mjs';
import { atEnd, BenchFailure } from './run-bench.mjs';
import { ROOT, startCommand, startService } from './service.mjs';

const PROBE = fileURLToPath(new URL('live-probe.mjs', import.meta.url));
const BARE_LOOP = fileURLToPath(new URL('peers/live.mjs', import.meta.url));

/** Limits that refuse nothing, and the log level of a production service. */
export const LIVE_SETTINGS = {
  RATE_LIMIT_PRO_MINUTE: '1000000000',
  RATE_LIMIT_PRO_DAY: '1000000000',
  STREAMS_PRO: '100000',
  STREAMS_MAX: '20000',
  CONNECTIONS_PER_ADDRESS: '0',
  LOG_LEVEL: 'warn',
};

const BATCH = 500;
const FRAMES_KEPT = 100;
/** Longer than the interval of heartbeats. */
const HEARTBEAT_WITHIN_MS = 20_000;

/** The service with its own stores, and `frames`: what it has sent on a stream of this form while `items` were published. */
export async function startServed(form, stores, items) {
  const service = await startService(
    {
      ...LIVE_SETTINGS,
      HOT_ITEMS: String(items),
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
    },
    ROOT,
    [PROBE],
  );
  const [key] = await proKeys(service, 1);
  const served = {
    name: 'Oddswire',
    form,
    key,
    url: service.url,
    pid: service.pid,
    stop: service.stop,
    publish: (count) => publishNext(service, count),
    ask: (question) => answerOf(service.process, question),
    request: () => readPage(service.url, key),
  };
  const frames = await capturedFrames(served, async () => {
    for (let left = items; left > 0; left -= BATCH) await served.publish(Math.min(left, BATCH));
  });
  return { ...served, frames };
}

let published = 0;

/** Publishes `count` sample items with new ids, in one request. Returns the bytes of the body. */
async function publishNext(service, count) {
  const lines = Array.from({ length: count }, () => {
    published += 1;
    const { news_event, scored_at, ...others } = samplePublication(published, fromEpochMillis(Date.now()));
    return `${JSON.stringify({ ...others, news_event: { ...news_event, id: `live_${process.pid}_${published}` } })}\n`;
  });
  const { accepted } = await publish(service, lines.join(''));
  if (accepted !== count) throw new BenchFailure(`only ${accepted} of ${count} items were accepted`);
}

/** Reads one stream while `work` runs: the first message, frames of items, and what is sent at the interval of heartbeats. */
async function capturedFrames({ url, form, key }, work) {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const reader = new FrameReader(form);
  const frames = { ready: null, heartbeat: new Map(), items: [] };
  const waiting = new Set(form === 'sse' ? ['heartbeat'] : ['heartbeat', 'ping']);
  const isComplete = Promise.withResolvers?.() ?? deferred();
  const take = (type, bytes, from, to) => {
    const frame = Buffer.from(bytes.subarray(from, to));
    if (type === 'ping') socket.write(pongTo(bytes, from, to));
    if (type === 'ready') frames.ready = frame;
    else if (type === 'item' && frames.items.length < FRAMES_KEPT) frames.items.push(frame);
    else if (waiting.delete(type)) frames.heartbeat.set(type, frame);
    if (waiting.size === 0) isComplete.resolve();
  };
  socket
    .on('error', isComplete.reject)
    .on('close', () => isComplete.reject(new BenchFailure('the service closed the first stream')))
    .on('data', (bytes) => reader.read(bytes, take))
    .write(streamRequest(form, url, key));
  const timer = setTimeout(
    () => isComplete.reject(new BenchFailure(`the service has sent no ${[...waiting].join(' and no ')}`)),
    HEARTBEAT_WITHIN_MS,
  );
  await Promise.all([work(), isComplete.promise]).finally(() => clearTimeout(timer));
  socket.destroy();
  return { ...frames, heartbeat: [...frames.heartbeat.values()] };
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** The bare loop, which writes the frames of the service. */
export async function startBareLoop({ form, key, frames }) {
  const child = fork(BARE_LOOP, { execArgv: [...startCommand(ROOT).flags, '--import', PROBE] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  atEnd(stop);
  const encoded = (frame) => frame.toString('base64');
  const { ready, heartbeat, items } = frames;
  await nextMessage(child); // It is loaded.
  child.send({
    given: { ready: encoded(ready), heartbeat: heartbeat.map(encoded), items: items.map(encoded) },
  });
  const { port } = await nextMessage(child);
  return {
    name: 'bare loop',
    form,
    key,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    stop,
    publish: (count) => new Promise((done) => child.send({ items: count }, done)),
    ask: (question) => answerOf(child, question),
  };
}

async function answerOf(child, question) {
  child.send({ question });
  for (;;) {
    const reply = await nextMessage(child);
    if (reply.question === question) return reply.answer;
  }
}

/** A request for the newest page, as another customer sends it. Reads the whole answer. */
async function readPage(url, key) {
  const answer = await fetch(`${url}/pm/v2/news`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new BenchFailure(`a page was answered with ${answer.status}`);
}
