import type { Fault } from './schedule.js';

/** What broke, and what a person needs to find the cause. */
export type Violation = {
  readonly at: number;
  readonly invariant: string;
  readonly evidence: string;
};

/** A fault as it happened; `endedAt` is null while it lasts. */
export type PastFault = { readonly fault: Fault; readonly beganAt: number; endedAt: number | null };

/** The same violation is written this often. */
const REPEATED_MAX = 5;

/** What happened in a run. Times are milliseconds from its start. */
export class RunRecord {
  readonly #startedAt = performance.now();
  readonly faults: PastFault[] = [];
  readonly violations: Violation[] = [];
  readonly #counts = new Map<string, number>();

  now(): number {
    return performance.now() - this.#startedAt;
  }

  /** A time of `now` as one of `performance.now`. */
  asClockTime(at: number): number {
    return at + this.#startedAt;
  }

  began(fault: Fault): PastFault {
    const past: PastFault = { fault, beganAt: this.now(), endedAt: null };
    this.faults.push(past);
    return past;
  }

  ended(past: PastFault): void {
    past.endedAt = this.now();
  }

  /** Counts what a run did, so that a run that checked nothing is noticed. */
  count(what: string, n = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + n);
  }

  counted(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  counts(): readonly (readonly [what: string, n: number])[] {
    return [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  violated(invariant: string, evidence: string): void {
    this.count(`violations: ${invariant}`);
    if (this.counted(`violations: ${invariant}`) > REPEATED_MAX) return;
    this.violations.push({ at: this.now(), invariant, evidence });
  }

  /** Whether a fault that `concerns` the question was there between two times, or up to `afterMs` before. */
  wasFaulty(from: number, to: number, afterMs: number, concerns: (fault: Fault) => boolean): boolean {
    return this.faults.some(
      ({ fault, beganAt, endedAt }) =>
        concerns(fault) && beganAt <= to && (endedAt ?? Number.POSITIVE_INFINITY) + afterMs >= from,
    );
  }
}

/** Whether an instance cannot rely on answers of Postgres during a fault. A `table locked` or a slow answer is an answer. */
export const touchesPostgresOf =
  (instance: number) =>
  (fault: Fault): boolean => {
    switch (fault.kind) {
      case 'Postgres killed':
      case 'Postgres restarted':
      case 'Postgres frozen':
      case 'sessions of Postgres ended':
        return true;
      case 'cut off from Postgres':
      case 'answers of Postgres lost':
      case 'connections to Postgres closed':
        return fault.instance === instance;
      default:
        return false;
    }
  };

export const touchesPostgres = ({ kind }: Fault): boolean => /Postgres/.test(kind) || kind === 'table locked';
export const touchesRedis = ({ kind }: Fault): boolean => /Redis/.test(kind);
