import type { Invalidation } from '../ports/invalidations.js';

/** An invalidation between instances. An instance ignores its own: it applies them before it sends them. */
export type SentInvalidation = { readonly from: string; readonly invalidation: Invalidation };

/** The message on the channel. All versions use the same fields: `from` and `signal`. */
export const invalidationMessage = ({ from, invalidation }: SentInvalidation): string =>
  JSON.stringify({ from, signal: invalidation });

/** Null for any other message: other programs may use the channel, and a lost invalidation costs only time (D39). */
export function readInvalidationMessage(text: string): SentInvalidation | null {
  try {
    const { from, signal } = (JSON.parse(text) ?? {}) as { from?: unknown; signal?: Partial<Invalidation> };
    const changed = signal?.changed;
    if (typeof from !== 'string' || (changed !== 'feed' && changed !== 'account')) return null;
    if (changed === 'account' && !Array.isArray((signal as { readonly keys?: unknown }).keys)) return null;
    return { from, invalidation: signal as Invalidation };
  } catch {
    return null;
  }
}
