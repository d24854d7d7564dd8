import { between, type Duration, earliest, MINUTE, type Moment, plus, SECOND } from './moment.js';

/**
 * How much the clock of this instance is ahead of the clock of the database; negative when it is behind. The database read
 * its clock at some time between the request and its answer, so that only bounds are known.
 */
export type ClockOffset = { readonly least: Duration; readonly greatest: Duration };

/**
 * Compares the time `now` of this instance with the time `shown` that the database read. It read it at least `least` and at
 * most `greatest` before `now`, by the monotonic clock.
 */
export const clockOffset = (
  now: Moment,
  shown: Moment,
  since: { readonly least: Duration; readonly greatest: Duration },
): ClockOffset => {
  const ahead = between(shown, now);
  return { least: ahead - since.greatest, greatest: ahead - since.least };
};

/** The part of an offset that is certain: 0 if the clocks may agree. A slow database is therefore no false alarm. */
export const certainOffset = ({ least, greatest }: ClockOffset): Duration =>
  least > 0 ? least : Math.min(greatest, 0);

/** How far the clock of this instance agrees with that of the database. */
export type ClockAgreement = 'agrees' | 'deviates' | 'wrong' | 'unusable';

/** What an instance may do, and its entry in `/readyz`. */
export type ClockAllowance = {
  readonly readiness: 'up' | 'degraded' | 'down';
  /** Due work, notices, retention and reconciliation: they judge rows of all instances by the time of this one. */
  readonly hasBackgroundWork: boolean;
  /** A live publication moves the head, and with it each later item of all instances. */
  readonly publishesLive: boolean;
};

/** The certain offset, in either direction, above which each agreement begins. */
const DEVIATES_ABOVE = SECOND;
const WRONG_ABOVE = 5 * SECOND;
const UNUSABLE_ABOVE = MINUTE;

// biome-ignore format: a table is read by its columns
export const CLOCK_ALLOWANCES: Readonly<Record<ClockAgreement, ClockAllowance>> = {
  agrees:   { readiness: 'up',       hasBackgroundWork: true,  publishesLive: true },
  deviates: { readiness: 'degraded', hasBackgroundWork: true,  publishesLive: true },
  wrong:    { readiness: 'degraded', hasBackgroundWork: false, publishesLive: false },
  unusable: { readiness: 'down',     hasBackgroundWork: false, publishesLive: false },
};

/** The allowance of an instance whose stores are in its own memory: there is no other clock. */
export const OWN_CLOCK = CLOCK_ALLOWANCES.agrees;

export function clockAgreement(offset: ClockOffset): ClockAgreement {
  const certain = Math.abs(certainOffset(offset));
  if (certain > UNUSABLE_ABOVE) return 'unusable';
  if (certain > WRONG_ABOVE) return 'wrong';
  return certain > DEVIATES_ABOVE ? 'deviates' : 'agrees';
}

/** How far ahead of the database's clock a time may be that an instance judges or assigns by. */
export const CLOCK_TOLERANCE: Duration = WRONG_ABOVE;

/** A time of this instance, or the latest one that the database's clock allows. */
export const boundedByDatabase = (at: Moment, databaseNow: Moment): Moment =>
  earliest(at, plus(databaseNow, CLOCK_TOLERANCE));
