import { script } from '../../src/adapters/redis/script.js';

/** The number of connections that a server has accepted since its start. */
export const ACCEPTED = script(
  "return redis.call('INFO', 'stats'):match('total_connections_received:(%d+)')",
);

/** Blocks the event loop, as a stop of the process would. */
export const block = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

export const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );
