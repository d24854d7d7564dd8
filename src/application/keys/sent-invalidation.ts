import type { Invalidation } from '../ports/invalidations.js';

/**
 * An invalidation between instances. An instance applies its own invalidations before it sends them, and ignores them
 * when they come back.
 */
export type SentInvalidation = { readonly from: string; readonly invalidation: Invalidation };

/** The message on the channel. All versions use the same fields: `from` and `signal`. */
export const invalidationMessage = ({ from, invalidation }: SentInvalidation): string =>
  JSON.stringify({ from, signal: invalidation });

/**
 * Null for any other message, because other programs may use the channel. A lost invalidation only delays a change
 * (D39).
 */
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
