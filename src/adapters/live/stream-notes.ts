import type { PlanName } from '../../domain/billing/plan.js';
import type { Refusal } from '../../domain/refusal.js';
import type { StreamSink } from './connections/stream-sink.js';

type Form = StreamSink['form'];

/** What is measured of streams. */
export type StreamNotes = {
  opened(form: Form, plan: PlanName): void;
  /** `reason` is the code of a problem, or what happened to the connection. */
  closed(form: Form, plan: PlanName, reason: string, bytes: number): void;
  /** Messages that were written, and the seconds since this process got the last change in them; null: not measured. */
  delivered(form: Form, changes: number, lagSeconds: number | null): void;
  /** A stream that resumes: the number of changes after its position. */
  resumed(changes: number): void;
  replayPermit(): void;
  /** Counts a stream that is not opened, and returns why. */
  refused<Why extends Refusal | 'overloaded'>(why: Why, plan: PlanName): Why;
  /** The most streams of this process. */
  limitedTo(max: number): void;
};
