import { connect } from 'node:net';

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const END_OF_HEADER = Buffer.from('\r\n\r\n');
const STATUS_AT = 'HTTP/1.1 '.length;
/** Responses with this status have no body. */
const NOT_MODIFIED = 304;

/**
 * Sends requests (`path`, `headers`) in turn over concurrent connections for `seconds`. Every response must have `status`.
 * It parses only the header of a response and counts the bytes of the body, because a load generator that parses every byte
 * is slower than the services that it measures.
 */
export async function load({ url, requests, connections, seconds, status = 200 }) {
  const { hostname, port } = new URL(url);
  const prepared = requests.map(({ path, headers }) => {
    const lines = Object.entries({ Host: `${hostname}:${port}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
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
    const answer = new AnswerReader([status]);
    let askedAt = 0;
    const ask = () => {
      if (performance.now() >= until) {
        socket.destroy();
        done();
        return;
      }
      askedAt = performance.now();
      socket.write(nextRequest());
    };
    socket.once('connect', ask).once('error', fail);
    socket.once('close', () => fail(new Error('the service closed a connection during a request')));
    socket.on('data', (chunk) => {
      try {
        if (!answer.read(chunk)) return;
      } catch (fault) {
        socket.destroy(fault);
        return;
      }
      millis.push(performance.now() - askedAt);
      ask();
    });
  });
}

/** Finds the end of each response on a connection. Every response must have one of `statuses`. */
export class AnswerReader {
  #statuses;
  #header = Buffer.alloc(0);
  /** Bytes of the body that have not arrived yet; -1 while the header is incomplete. */
  #left = -1;
  #tail = Buffer.alloc(0);
  /** The status and the header of the last response. */
  status = 0;
  header = '';

  constructor(statuses) {
    this.#statuses = statuses;
  }

  /** Whether the response ends with this chunk. Throws on another status. */
  read(chunk) {
    if (this.#left === -1) {
      if (!this.#readHeader(chunk)) return false;
    } else this.#left -= chunk.length;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    const isOpen = this.#left === Number.POSITIVE_INFINITY ? !this.#tail.equals(LAST_CHUNK) : this.#left > 0;
    if (!isOpen) this.#left = -1;
    return !isOpen;
  }

  /** Whether the header is complete. */
  #readHeader(chunk) {
    this.#header = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    const end = this.#header.indexOf(END_OF_HEADER);
    if (end === -1) return false;
    const text = this.#header.toString('latin1', 0, end);
    this.header = text;
    this.status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
    if (!this.#statuses.includes(this.status)) {
      throw new Error(`expected status ${this.#statuses.join(' or ')}, received: ${text.slice(0, 300)}`);
    }
    this.#left = bodyLength(text, this.status) - (this.#header.length - end - END_OF_HEADER.length);
    this.#header = Buffer.alloc(0);
    return true;
  }
}

/** Infinite for a chunked body, which ends with an empty chunk. */
function bodyLength(header, status) {
  if (status === NOT_MODIFIED) return 0;
  const length = /content-length: (\d+)/i.exec(header)?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length);
}
