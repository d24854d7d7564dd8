import { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { IdleConnections } from '../../../src/adapters/outgoing/idle-connections.js';
import { UnreadBodies } from '../../../src/adapters/outgoing/unread-bodies.js';

/** A request whose answer has begun. `isDestroyed`: whether its connection was closed. */
class StartedRequest extends EventEmitter {
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

describe('The bodies of answers that nobody reads', () => {
  const bodies = new UnreadBodies();
  const start = (): StartedRequest => {
    const request = new StartedRequest();
    bodies.discard(request as unknown as ClientRequest, new EventEmitter() as IncomingMessage);
    return request;
  };

  it('keep at most 64 connections open, and make room when one closes', () => {
    const requests = Array.from({ length: 65 }, start);
    expect(requests.map(({ isDestroyed }) => isDestroyed)).to.deep.equal([...Array(64).fill(false), true]);
    requests[0]?.emit('close');
    expect([start(), start()].map(({ isDestroyed }) => isDestroyed)).to.deep.equal([false, true]);
    for (const request of requests) request.destroy();
  });
});

describe('The idle connections', () => {
  it('are at most 256 over all origins', () => {
    const idle = new IdleConnections();
    const [socket, free] = [new PassThrough(), idle.freeSockets as Record<string, unknown[]>];
    const keep = (counts: readonly number[]) => {
      for (const [i, count] of counts.entries()) free[`origin${i}`] = Array(count).fill(socket);
      return idle.keepSocketAlive(Object.assign(socket, KEPT));
    };
    expect([keep([100, 155]), keep([100, 156])]).to.deep.equal([true, false]);
  });
});

/** What the agent of Node calls on a connection that it keeps. */
const KEPT = { setKeepAlive: () => {}, unref: () => {}, setTimeout: () => {}, timeout: 0 };
