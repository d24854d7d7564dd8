import { Writability } from '../adapters/resilience/writability.js';
import type { Unwritable } from '../application/unavailable.js';
import { LOG, METRICS, type Wiring } from './parts.js';

/** What is different for users while a store answers and takes no writes. */
const CONSEQUENCE = 'publishing, operating, signing in and webhooks are refused with 503, and reads go on';

/** Why a store takes no writes, and what that means, for an operator; null while it takes them. */
export const limitationOf = ({ refusal }: Writability): string | null =>
  refusal === null ? null : `cannot be written to: ${refusal.reason}; ${CONSEQUENCE}`;

/** Watches whether a store that answers takes writes: one line of the log for each change, and a gauge. */
export function wireWritability(
  { get, starting, closing }: Wiring,
  part: string,
  probe: (refusal: Unwritable | null) => Promise<void>,
): Writability {
  const writability = new Writability({ what: part, probe });
  starting(async () => {
    get(METRICS).partWritable(part, true);
    writability.onChange((refusal) => {
      get(METRICS).partWritable(part, refusal === null);
      if (refusal === null) get(LOG).info({ part }, `${part} can be written to again`);
      else get(LOG).warn({ part, err: refusal.cause }, `${part} ${limitationOf(writability)}`);
    });
    await writability.start();
  });
  closing(async () => writability.stop());
  return writability;
}
