import { expect } from 'chai';
import { type Connection, LivenessMonitor } from '../../../src/adapters/redis/liveness.js';

/** A connection that is ready, and counts how often it was given up. */
const readyConnection = () => {
  let givenUp = 0;
  const connection: Connection = {
    isOpen: true,
    isReady: true,
    ping: () => Promise.resolve(),
    connect: () => Promise.resolve(),
    destroy: () => {
      givenUp += 1;
    },
    on: () => {},
  };
  return { connection, givenUp: () => givenUp };
};

describe('Connections to Redis that are opened again because the server became a replica', () => {
  it('include one that was added since the last tick, such as the one of a new subscription', () => {
    const [first, added] = [readyConnection(), readyConnection()];
    const connections = [first.connection];
    const monitor = new LivenessMonitor(() => connections);
    monitor.reopen();
    connections.push(added.connection);
    monitor.reopen();
    monitor.stop();
    expect([first.givenUp(), added.givenUp()]).to.deep.equal([2, 1]);
  });
});
