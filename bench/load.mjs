import { connect } from 'node:net';

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const END_OF_HEADER = Buffer.from('\r\n\r\n');

/**
 * Asks for one path over so many connections at once, for so long. It looks at the header of an answer and counts the
 * rest: load generators that parse every byte are slower here than what they measure.
 */
export async function load({ url, path, headers, connections, seconds }) {
  const { hostname, port } = new URL(url);
  const lines = Object.entries({ Host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const millis = [];
  const until = performance.now() + seconds * 1_000;
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, () => caller(hostname, Number(port), request, until, millis)));
  const took = (performance.now() - began) / 1_000;
  millis.sort((a, b) => a - b);
  const at = (share) => millis[Math.floor(share * (millis.length - 1))];
  return { requests: millis.length, rate: millis.length / took, p50: at(0.5), p99: at(0.99) };
}

function caller(host, port, request, until, millis) {
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
      socket.write(request);
    };
    socket.once('connect', ask).once('error', fail);
    socket.on('data', (chunk) => {
      if (left === -1) {
        header = header.length === 0 ? chunk : Buffer.concat([header, chunk]);
        const end = header.indexOf(END_OF_HEADER);
        if (end === -1) return;
        const text = header.toString('latin1', 0, end);
        if (!text.startsWith('HTTP/1.1 200')) fail(new Error(`not 200: ${text.slice(0, 300)}`));
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        // Without one it comes in chunks, the last of which is empty.
        left = length === undefined ? Number.POSITIVE_INFINITY : Number(length) - (header.length - end - 4);
        header = Buffer.alloc(0);
      } else left -= chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
      if (left === Number.POSITIVE_INFINITY ? !tail.equals(LAST_CHUNK) : left > 0) return;
      millis.push(performance.now() - askedAt);
      ask();
    });
  });
}
