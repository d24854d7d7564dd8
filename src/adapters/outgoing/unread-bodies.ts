import type { ClientRequest, IncomingMessage } from 'node:http';

const BYTES_MAX = 16_384;
const TIMEOUT_MS = 1_000;
const CONNECTIONS_MAX = 64;

/**
 * Discards the bodies of answers, so that their connections can be used again. A connection is closed if its body is larger than
 * 16 KB or takes longer than 1 s, or if 64 others are being read: nobody waits for these bodies, so they need a bound of
 * their own.
 */
export class UnreadBodies {
  #connections = 0;

  discard(request: ClientRequest, response: IncomingMessage): void {
    response.on('error', () => {});
    if (this.#connections >= CONNECTIONS_MAX) {
      request.destroy();
      return;
    }
    this.#connections += 1;
    const timer = setTimeout(() => request.destroy(), TIMEOUT_MS);
    // It closes when the body was sent and the answer was read, or with the connection.
    request.once('close', () => {
      clearTimeout(timer);
      this.#connections -= 1;
    });
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) request.destroy();
    });
  }
}
