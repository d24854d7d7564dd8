import type { RecentRequests } from '../../application/limits/recent-requests.js';
import type { Clock } from '../../application/ports/clock.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { loggedQuery } from '../../domain/limits/request-log.js';
import { MILLISECOND, plus } from '../../domain/moment.js';
import { rangesOf } from './listener/client-address.js';

type Parts = {
  readonly recentRequests: Pick<RecentRequests, 'hasRoom' | 'note'>;
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
  /** The code of the problem document that was its answer. */
  readonly code: string | null;
  /** The length of the body, if it was known when the answer began. */
  readonly bytes: number | null;
};

/**
 * Keeps an ended request for the request log of the owner of its key (D74). Runs after the answer was sent. `hasRoom` comes first: a
 * busy instance drops most requests there, before anything is computed.
 */
export const keepRequest =
  ({ recentRequests, clock, redact }: Parts) =>
  (request: KeptRequest, status: number, durationMs: number): void => {
    const { key, method, path, requestId, code } = request;
    if (key === null || !recentRequests.hasRoom(key, status)) return;
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
