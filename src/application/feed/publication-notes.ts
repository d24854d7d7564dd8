import {
  NOTHING_PUBLISHED,
  type PublicationRecord,
  withCounts,
  withRejection,
} from '../../domain/feed/publication-record.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import type { Fault } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';

/** What publishers sent to this instance in the last hour. It is lost when the process ends. */
export class PublicationNotes {
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  #record: PublicationRecord = NOTHING_PUBLISHED;

  constructor({
    clock,
    keyFormat,
  }: { readonly clock: Clock; readonly keyFormat: Pick<KeyFormat, 'redact'> }) {
    this.#clock = clock;
    this.#redact = (text) => keyFormat.redact(text);
  }

  get record(): PublicationRecord {
    return this.#record;
  }

  stored(counts: { readonly published: number; readonly unchanged: number }): void {
    this.#record = withCounts(this.#record, this.#clock(), counts);
  }

  rejected(id: string | null, faults: readonly Fault[]): void {
    this.#record = withRejection(this.#record, this.#clock(), { id, faults }, this.#redact);
  }
}
