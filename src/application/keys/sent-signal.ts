import type { Signal } from '../ports/signals.js';

/** A hint on its way between instances, with who sent it: its own an instance has heard already. */
export type SentSignal = { readonly from: string; readonly signal: Signal };

/** Null for anything else: others may use the same channel, and a hint is never worth a fault. */
export function readSentSignal(text: string): SentSignal | null {
  try {
    const sent = JSON.parse(text) as Partial<SentSignal> | null;
    const changed = sent?.signal?.changed;
    if (typeof sent?.from !== 'string' || (changed !== 'feed' && changed !== 'account')) return null;
    if (changed === 'account' && !Array.isArray((sent.signal as { readonly keys?: unknown }).keys))
      return null;
    return sent as SentSignal;
  } catch {
    return null;
  }
}
