import type { StreamId, StreamSlots } from '../../application/ports/limits/stream-slots.js';
import type { Stream } from './stream.js';

type Parts = {
  readonly streamSlots: Pick<StreamSlots, 'renew'>;
  readonly report: (fault: unknown) => void;
};

/** Renews the slots of the open streams at this interval (D51). Returns a function that stops it. */
export function renewSlots(
  { streamSlots, report }: Parts,
  intervalMs: number,
  streams: ReadonlyMap<StreamId, Stream>,
  onLost: (stream: StreamId) => void,
): () => void {
  let isRenewing = false;
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      const held = [...streams.values()].filter(({ sink }) => sink.form !== 'batch');
      for (const id of await streamSlots.renew(held)) onLost(id);
    } catch (fault) {
      report(fault);
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void renew(), intervalMs).unref();
  return () => clearInterval(timer);
}
