import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../application/ports/clock.js';
import { epochSeconds, type Moment } from '../../../domain/moment.js';

/** A time as HTTP writes it (RFC 9110, IMF-fixdate), in whole seconds. */
export const httpDate = (at: Moment): string => new Date(epochSeconds(at) * 1_000).toUTCString();

/**
 * Makes answers carry the time of `clock` as their `Date`. Node writes the system's time, from which the times in other
 * headers would differ while the test clock is ahead (D5). The header is set as late as the answer begins, because a
 * request can itself move the clock.
 */
export const dateHeader =
  (clock: Clock) =>
  (response: ServerResponse): void => {
    const writeHead = response.writeHead.bind(response) as (...args: readonly unknown[]) => ServerResponse;
    response.writeHead = (...args: readonly unknown[]) => {
      response.setHeader('Date', httpDate(clock()));
      return writeHead(...args);
    };
  };
