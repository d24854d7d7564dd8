import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../application/ports/clock.js';
import { epochSeconds, type Moment } from '../../../domain/moment.js';

/** A time in the HTTP format (RFC 9110, IMF-fixdate), in whole seconds. */
export const httpDate = (at: Moment): string => new Date(epochSeconds(at) * 1_000).toUTCString();

/**
 * Sets `Date` from `clock` (D5). Node would write the system time, which differs from the times in other headers while
 * the test clock is ahead. The header is set when the response begins, because the request itself can move the clock.
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
