import type { RequestListener } from 'node:http';
import { takeoverOf } from '../../../fast-paths/takeover.js';
import type { OpeningQueue } from './opening-queue.js';

/**
 * Lets requests for event streams and WebSockets wait before `handler`, which is Koa: with thousands of them, the middleware
 * would take a fifth of the time in which their connections are to be accepted. A batch waits in its route.
 *
 * A request whose client has gone away meanwhile is handled too, so that it is logged, and a wrong key is counted for its
 * address. During a shutdown nothing waits.
 */
export const openingListener =
  (
    handler: RequestListener,
    openings: Pick<OpeningQueue, 'wait'>,
    isDraining: () => boolean,
  ): RequestListener =>
  (request, response) => {
    if (takeoverOf(request) === null || isDraining()) return handler(request, response);
    void request.socket.remoteAddress; // Node keeps it, and cannot find it when the client has gone.
    void openings.wait().then(() => handler(request, response));
  };
