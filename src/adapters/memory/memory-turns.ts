import type { Turn, Turns } from '../../application/ports/turns.js';
import type { Moment } from '../../domain/moment.js';

/** Turns of one process. */
export class MemoryTurns implements Turns {
  readonly #works = new Map<string, { mark: Moment | null; dueAt: Moment | null; isTaken: boolean }>();

  async take(work: string, now: Moment, insists: boolean): Promise<Turn | null> {
    const known = this.#works.get(work) ?? { mark: null, dueAt: null, isTaken: false };
    const isDue = insists || known.dueAt === null || known.dueAt <= now;
    if (known.isTaken || !isDue) return null;
    this.#works.set(work, { ...known, isTaken: true });
    return { mark: known.mark };
  }

  async done(work: string, mark: Moment | null, nextAt: Moment): Promise<void> {
    this.#works.set(work, { mark, dueAt: nextAt, isTaken: false });
  }

  async giveUp(work: string): Promise<void> {
    const known = this.#works.get(work);
    if (known !== undefined) this.#works.set(work, { ...known, isTaken: false });
  }
}
