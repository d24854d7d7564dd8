import type { PositionToken } from '../../../domain/feed/position.js';
import { NO_SLOT_RETRY_SECONDS } from '../../../domain/limits/streams.js';
import type { EndCause } from '../connections/stream-sink.js';
import { contentOf } from './content.js';
import { Message } from './message.js';

/** The seconds after which a client should connect again, between these bounds at random. */
const AFTER_RESTART = { from: 0.5, to: 5 } as const;
const AFTER_LOSS = { from: 0.5, to: 10 } as const;

/**
 * When a client should connect again; null: not at all, because it would be refused (D49, D52). Random values spread the
 * clients that lost their streams at the same time (D45, D54).
 */
function retryAfterSeconds(cause: EndCause, random: () => number): number | null {
  if (typeof cause === 'string') return between(AFTER_RESTART, random);
  switch (cause.refused) {
    case 'position_expired':
      return between(AFTER_LOSS, random);
    case 'stream_replaced':
    case 'too_many_streams':
      return NO_SLOT_RETRY_SECONDS;
    case 'rate_limited':
      return cause.retryAfterSeconds;
    default:
      return null;
  }
}

const between = (
  { from, to }: { readonly from: number; readonly to: number },
  random: () => number,
): number => Math.round((from + random() * (to - from)) * 1_000) / 1_000;

/** The last message of a stream. `problem` is the document that a request would get now. */
export function closingMessage(cause: EndCause, position: PositionToken, problem: object): Message {
  const seconds = retryAfterSeconds(cause, Math.random);
  const content = contentOf({ problem, retry_after_seconds: seconds });
  return new Message('closing', position, content, seconds === null ? null : Math.round(seconds * 1_000));
}
