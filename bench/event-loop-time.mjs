import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The main thread is idle if it used no CPU time for this period. */
const IDLE_MS = 5;

/** Only Linux reports the CPU time of each thread in /proc. */
export const isMeasurable = () => existsSync(fileOf(process.pid));

/**
 * The event-loop time of one request to an idle service: the CPU time of its main thread, in milliseconds, from before the
 * request is sent until the thread is idle again. `bytes` is the whole request on the wire. The status is null if the
 * connection was closed without a response. The measurement excludes opening and closing the connection.
 */
export async function eventLoopTime({ pid, url }, bytes) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // The service may close the connection before it has read everything.
  await once(socket, 'connect');
  const before = await idleMainThread(pid);
  const answer = firstBytes(socket);
  socket.write(bytes);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(await answer)?.[1] ?? null;
  const after = await idleMainThread(pid);
  socket.destroy();
  return { status: status === null ? null : Number(status), ms: after - before };
}

function firstBytes(socket) {
  return new Promise((done) => {
    socket.on('data', (chunk) => done(chunk.toString('latin1'))).once('close', () => done(''));
  });
}

/** Waits until the main thread is idle, and returns its CPU time so far, in milliseconds. */
async function idleMainThread(pid) {
  for (let before = mainThreadMs(pid); ; ) {
    await pause(IDLE_MS);
    const now = mainThreadMs(pid);
    if (now === before) return now;
    before = now;
  }
}

/** The first figure is the time on a CPU, in nanoseconds. */
function mainThreadMs(pid) {
  return Number(readFileSync(fileOf(pid), 'utf8').split(' ')[0]) / 1e6;
}

function fileOf(pid) {
  return `/proc/${pid}/task/${pid}/schedstat`;
}
