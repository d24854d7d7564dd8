/** A signal that its owner and the user can abort. `AbortSignal.any` is not in every runtime that we support. */
export type LinkedAbort = {
  readonly signal: AbortSignal;
  /** Aborts, and removes the listener from the signal of the user, which can live much longer. */
  readonly abort: () => void;
};

export function linkedAbort(user: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const abort = () => {
    user?.removeEventListener('abort', abort);
    controller.abort();
  };
  user?.addEventListener('abort', abort);
  if (user?.aborted) abort();
  return { signal: controller.signal, abort };
}

// A longer timer fires at once: after this time, the caller tries again.
export const TIMER_MAX_MS = 2 ** 31 - 1;

/** Waits, and rejects with the reason of the signal when it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        end();
        resolve();
      },
      Math.min(ms, TIMER_MAX_MS),
    );
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}

/** After a pause of the process all timers are due at once. Data that has already arrived is read in this time. */
const AFTER_PAUSE_MS = 250;

/** The next bytes, null at the end, or `silent` if none arrive within the time. Measures time, and reads no clock. */
export async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  ms: number,
): Promise<Uint8Array | null | 'silent'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(
      () => {
        timer = setTimeout(() => resolve('silent'), AFTER_PAUSE_MS);
      },
      Math.min(ms, TIMER_MAX_MS),
    );
  });
  try {
    const bytes = reader.read().then(({ value }) => value ?? null);
    return await Promise.race([bytes, silence]);
  } finally {
    clearTimeout(timer);
  }
}
