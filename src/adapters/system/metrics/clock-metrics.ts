import { Gauge, type Registry } from 'prom-client';
import { type Duration, SECOND } from '../../../domain/moment.js';

/** The clock of the machine, compared with that of Postgres (D5). */
export class ClockMetrics {
  #offset: () => Duration | null = () => null;

  constructor(registry: Registry) {
    const offset = () => this.#offset();
    new Gauge({
      name: 'oddswire_clock_offset_seconds',
      help: 'How much the clock of the machine is certainly ahead of that of Postgres; negative if behind. Absent without Postgres.',
      // The processes of a machine have one clock.
      aggregator: 'max',
      registers: [registry],
      collect() {
        const micros = offset();
        if (micros === null) this.remove();
        else this.set(micros / SECOND);
      },
    });
  }

  observe(offset: () => Duration | null): void {
    this.#offset = offset;
  }
}
