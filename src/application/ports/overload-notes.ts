import type { RequestPriority } from '../../domain/limits/iteration-budget.js';

/** Where overload is noted: metrics and log. */
export type OverloadNotes = {
  readonly refused: (priority: RequestPriority) => void;
  /** The connections that were not accepted yet were reset after this delay. */
  readonly queueEmptied: (delayMs: number) => void;
  /** An iteration of the event loop in which requests were read has ended. */
  readonly iterationEnded: (ms: number) => void;
};
