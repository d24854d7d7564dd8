import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Answered, NotAnswered } from '../../application/ports/destinations/outgoing.js';
import { retryAfterOf } from './retry-after.js';
import type { UnreadBodies } from './unread-bodies.js';
import { whyNoAnswer } from './why-no-answer.js';

export type Answer = Answered | NotAnswered;

/** Sends a request and reads the header of its answer. It never rejects. Only the caller ends it if nothing happens. */
export function exchange(request: ClientRequest, body: Buffer, bodies: UnreadBodies): Promise<Answer> {
  return new Promise((done) => {
    let isSecured = request.protocol === 'http:';
    request.once('socket', (socket) => {
      if (request.reusedSocket) isSecured = true;
      else
        socket.once('secureConnect', () => {
          isSecured = true;
        });
    });
    request.once('response', (response) => {
      done(answered(response));
      bodies.discard(request, response);
    });
    // A receiver that switches to another protocol without being asked. Without a listener, Node reports no answer.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      done(answered(response));
    });
    request.on('error', (fault) => done({ answered: false, why: whyNoAnswer(fault, isSecured) }));
    request.once('close', () => done({ answered: false, why: 'cut' }));
    request.end(body);
  });
}

const answered = ({ statusCode = 0, headers }: IncomingMessage): Answered => ({
  answered: true,
  status: statusCode,
  retryAfter: retryAfterOf(headers['retry-after'], Date.now()),
});
