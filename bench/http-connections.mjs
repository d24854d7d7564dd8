import { connect } from 'node:net';
import { AnswerReader } from './load.mjs';

const STATUSES = [200, 304, 401, 503];

/**
 * Keep-alive connections to one instance, opened when they are needed. Each connection has one request at a time. Like
 * `load.mjs`, they parse only the headers of responses.
 */
export class HttpConnections {
  #host;
  #port;
  #open = new Set();
  #idle = new Set();

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Sends a GET request. Resolves after the whole response to its status and a function that returns a header field. */
  get(path, headers) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${path} HTTP/1.1\r\nHost: ${this.#host}:${this.#port}\r\n${lines.join('')}\r\n`;
    const [connection = this.#connect()] = this.#idle;
    this.#idle.delete(connection);
    return new Promise((done, fail) => {
      connection.pending = { done, fail };
      connection.socket.write(request);
    });
  }

  close() {
    for (const { socket } of this.#open) socket.destroy();
  }

  #connect() {
    const connection = {
      socket: connect(this.#port, this.#host),
      answer: new AnswerReader(STATUSES),
      pending: null,
    };
    this.#open.add(connection);
    connection.socket
      .setNoDelay(true)
      .on('error', () => {}) // Followed by `close`.
      .on('close', () => {
        this.#open.delete(connection);
        this.#idle.delete(connection);
        connection.pending?.fail(new Error('the service closed a connection during a request'));
      })
      .on('data', (chunk) => this.#read(connection, chunk));
    return connection;
  }

  #read(connection, chunk) {
    const { socket, answer, pending } = connection;
    try {
      if (!answer.read(chunk)) return;
    } catch (fault) {
      pending?.fail(fault);
      socket.destroy();
      return;
    }
    connection.pending = null;
    this.#idle.add(connection);
    pending?.done({ status: answer.status, field: fieldsOf(answer.header) });
  }
}

const fieldsOf = (header) => (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(header)?.[1]?.trim();
