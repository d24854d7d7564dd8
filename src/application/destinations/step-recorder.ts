import type { DestinationId } from '../../domain/destinations/destination.js';
import type { DeliveryStep, Destinations } from '../ports/destinations/destinations.js';

/** The steps of all destinations are written together, at most once in this time (D68). */
const RECORD_EVERY_MS = 100;

type Waiting = {
  readonly step: DeliveryStep;
  readonly done: (isRecorded: boolean) => void;
  readonly fail: (fault: unknown) => void;
};

/** Writes the steps of deliveries. A destination has one step at a time. */
export class StepRecorder {
  readonly #destinations: Pick<Destinations, 'record'>;
  readonly #holder: () => string;
  readonly #pause: (ms: number) => Promise<unknown>;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(parts: {
    readonly destinations: Pick<Destinations, 'record'>;
    readonly holder: () => string;
    readonly pause: (ms: number) => Promise<unknown>;
  }) {
    this.#destinations = parts.destinations;
    this.#holder = parts.holder;
    this.#pause = parts.pause;
  }

  /** Whether the step was recorded: false if the destination was changed meanwhile, or another process delivers. */
  record(step: DeliveryStep): Promise<boolean> {
    const recorded = new Promise<boolean>((done, fail) => {
      this.#waiting.push({ step, done, fail });
    });
    if (!this.#isWriting) void this.#write();
    return recorded;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      // Steps of the same turn of the event loop are written together.
      await this.#pause(0);
      const written = this.#waiting;
      this.#waiting = [];
      await this.#writeAll(written);
      await this.#pause(RECORD_EVERY_MS);
    }
    this.#isWriting = false;
  }

  async #writeAll(written: readonly Waiting[]): Promise<void> {
    let recorded: ReadonlySet<DestinationId>;
    try {
      recorded = await this.#destinations.record(
        this.#holder(),
        written.map(({ step }) => step),
      );
    } catch (fault) {
      for (const { fail } of written) fail(fault);
      return;
    }
    for (const { step, done } of written) done(recorded.has(step.id));
  }
}
