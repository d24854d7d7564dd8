import { connect } from 'node:net';

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const END_OF_HEADER = Buffer.from('\r\n\r\n');
/** Answers of this status have no body. */
const NOT_MODIFIED = 304;

/**
 * Sends requests (`path`, `headers`) in turn over so many connections at once, for so long; every answer must have the
 * status. It reads the header of an answer and counts the rest: load generators that parse every byte are slower here
 * than the services they measure.
 */
export async function load({ url, requests, connections, seconds, status = 200 }) {
  const { hostname, port } = new URL(url);
  const prepared = requests.map(({ path, headers }) => {
    const lines = Object.entries({ Host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
    return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  });
  let sent = 0;
  const run = {
    nextRequest: () => prepared[sent++ % prepared.length],
    status,
    until: performance.now() + seconds * 1_000,
    millis: [],
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, () => caller(hostname, Number(port), run)));
  const took = (performance.now() - began) / 1_000;
  const millis = run.millis.sort((a, b) => a - b);
  const at = (share) => millis[Math.floor(share * (millis.length - 1))];
  return { requests: millis.length, rate: millis.length / took, p50: at(0.5), p99: at(0.99) };
}

function caller(host, port, { nextRequest, status, until, millis }) {
  return new Promise((done, fail) => {
    const socket = connect(port, host);
    socket.setNoDelay(true);
    let askedAt = 0;
    /** Bytes of the body that are still to come; -1 while the header is. */
    let left = -1;
    let header = Buffer.alloc(0);
    let tail = Buffer.alloc(0);
    const ask = () => {
      if (performance.now() >= until) {
        socket.destroy();
        done();
        return;
      }
      askedAt = performance.now();
      left = -1;
      socket.write(nextRequest());
    };
    socket.once('connect', ask).once('error', fail);
    socket.once('close', () => fail(new Error('the service closed a connection that was in use')));
    socket.on('data', (chunk) => {
      if (left === -1) {
        header = header.length === 0 ? chunk : Buffer.concat([header, chunk]);
        const end = header.indexOf(END_OF_HEADER);
        if (end === -1) return;
        const text = header.toString('latin1', 0, end);
        if (!text.startsWith(`HTTP/1.1 ${status}`)) fail(new Error(`not ${status}: ${text.slice(0, 300)}`));
        left = bodyLength(text, status) - (header.length - end - END_OF_HEADER.length);
        header = Buffer.alloc(0);
      } else left -= chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
      if (left === Number.POSITIVE_INFINITY ? !tail.equals(LAST_CHUNK) : left > 0) return;
      millis.push(performance.now() - askedAt);
      ask();
    });
  });
}

/** Infinite where the body comes in chunks, the last of which is empty. */
function bodyLength(header, status) {
  if (status === NOT_MODIFIED) return 0;
  const length = /content-length: (\d+)/i.exec(header)?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length);
}
