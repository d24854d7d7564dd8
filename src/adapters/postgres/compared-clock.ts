import type { Clock, ClockCheck } from '../../application/ports/clock.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import {
  CLOCK_ALLOWANCES,
  CLOCK_TOLERANCE,
  type ClockAgreement,
  type ClockAllowance,
  type ClockOffset,
  certainOffset,
  clockAgreement,
  clockOffset,
} from '../../domain/clock-offset.js';
import { type Duration, MILLISECOND, type Moment, plus, SECOND } from '../../domain/moment.js';

/** The time that the database showed, and the monotonic times between which it read it, in milliseconds. */
export type ClockReading = { readonly shown: Moment; readonly sentAt: number; readonly receivedAt: number };

type Parts = {
  /** The clock of the machine, without the offset of a test clock. */
  readonly systemClock: Clock;
  readonly monotonicClock: MonotonicClock;
  /** The log is read only when the agreement changes. */
  readonly log: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;
};

const CONSEQUENCES: Readonly<Record<ClockAgreement, string>> = {
  agrees: '',
  deviates: '',
  wrong: ': this instance does no background work and accepts no live publication',
  unusable: ': this instance is not ready, does no background work and accepts no live publication',
};

/**
 * The clock of this machine, compared with that of Postgres. Each heartbeat brings a reading, which the monotonic clock
 * continues: a clock that is set to another time is therefore noticed before the next heartbeat. `/readyz` and the log
 * change with heartbeats only.
 */
export class ComparedClock implements ClockCheck {
  readonly #parts: Parts;
  #reading: ClockReading | null = null;
  #agreement: ClockAgreement = 'agrees';
  #text = AGREES;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly note = (reading: ClockReading): void => {
    this.#reading = reading;
    const offset = this.#offset();
    const agreement = clockAgreement(offset);
    this.#text =
      agreement === 'agrees' ? AGREES : `${offsetText(certainOffset(offset))}${CONSEQUENCES[agreement]}`;
    if (agreement === this.#agreement) return;
    this.#agreement = agreement;
    const level = agreement === 'agrees' ? 'info' : 'warn';
    this.#parts.log[level]({ dependency: 'clock', ...offset }, this.#text);
  };

  /** For the metrics: the certain offset; null before the first reading. */
  readonly certain = (): Duration | null => (this.#reading === null ? null : certainOffset(this.#offset()));

  readonly allowance = (): ClockAllowance => CLOCK_ALLOWANCES[clockAgreement(this.#offset())];

  readonly bound = (now: Moment): Moment => {
    const beyond = certainOffset(this.#offset()) - CLOCK_TOLERANCE;
    return beyond > 0 ? plus(now, -beyond) : now;
  };

  /** An entry of `/readyz`. */
  readonly report = () => ({
    dependency: 'clock',
    state: CLOCK_ALLOWANCES[this.#agreement].readiness,
    text: this.#text,
  });

  /** No offset before the first reading. */
  #offset(): ClockOffset {
    if (this.#reading === null) return { least: 0, greatest: 0 };
    const { shown, sentAt, receivedAt } = this.#reading;
    const now = this.#parts.monotonicClock();
    const since = { least: micros(now - receivedAt), greatest: micros(now - sentAt) };
    return clockOffset(this.#parts.systemClock(), shown, since);
  }
}

const AGREES = 'the clock of this machine agrees with that of Postgres';

const micros = (ms: number): Duration => Math.round(ms * MILLISECOND);

const offsetText = (certain: Duration): string => {
  const seconds = (Math.abs(certain) / SECOND).toFixed(1);
  return `the clock of this machine is ${seconds} s ${certain > 0 ? 'ahead of' : 'behind'} that of Postgres`;
};
