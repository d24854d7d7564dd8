import type { QuotaMails } from '../../application/limits/quota-mails.js';
import type { RecentRequests } from '../../application/limits/recent-requests.js';
import type { Clock } from '../../application/ports/clock.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Limit } from '../../domain/limits/rate-limit.js';
import { loggedQuery } from '../../domain/limits/request-log.js';
import { MILLISECOND, plus } from '../../domain/moment.js';
import { rangesOf } from './listener/client-address.js';

type Parts = {
  readonly recentRequests: Pick<RecentRequests, 'hasRoom' | 'note'>;
  readonly quotaMails: Pick<QuotaMails, 'note'>;
  readonly clock: Clock;
  /** Redacts everything that looks like a key. */
  readonly redact: (text: string) => string;
};

/** What the request log needs of a request at its end. */
export type KeptRequest = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly querystring: string;
  readonly address: string;
  readonly key: KeyId | null;
  /** The limits that the answer states; null if none are known. */
  readonly limits: readonly Limit[] | null;
  /** The code of the problem document that was its answer. */
  readonly code: string | null;
  /** The length of the body, if it was known when the answer began. */
  readonly bytes: number | null;
};

/**
 * Keeps an ended request for the request log of the owner of its key (D74), and notes how much of the day's quota is used (D73). Runs
 * after the answer was sent. `hasRoom` comes first: a busy instance drops most requests there, before anything is computed.
 */
export const keepRequest =
  ({ recentRequests, quotaMails, clock, redact }: Parts) =>
  (request: KeptRequest, status: number, durationMs: number): void => {
    const { key, limits, method, path, requestId, code } = request;
    if (key === null) return;
    if (limits !== null) quotaMails.note(key, limits);
    if (!recentRequests.hasRoom(key, status)) return;
    recentRequests.note({
      key,
      at: plus(clock(), -Math.round(durationMs * MILLISECOND)),
      method,
      path,
      query: loggedQuery(request.querystring, redact),
      status,
      code,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      bytes: request.bytes,
      requestId,
      network: rangesOf(request.address).network,
    });
  };

export type KeepRequest = ReturnType<typeof keepRequest>;
