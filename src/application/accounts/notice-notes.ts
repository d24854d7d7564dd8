import type { LastNotice } from '../../domain/accounts/dependency-health.js';
import type { Clock } from '../ports/clock.js';

/** What became of the last notice that this instance tried to send. It is lost when the process ends. */
export class NoticeNotes {
  readonly #clock: Clock;
  #last: LastNotice | null = null;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Null before the first one. */
  get last(): LastNotice | null {
    return this.#last;
  }

  note(outcome: LastNotice['outcome']): void {
    this.#last = { outcome, at: this.#clock() };
  }
}
