import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';
import { type Duration, MILLISECOND, MINUTE, SECOND } from '../../domain/moment.js';

/** A clock is compared by a request: the answer was made at some time between the request and its arrival. */
export type ClockComparison = {
  /** How much the clock of the server is ahead; negative when it is behind. */
  readonly ahead: Duration;
  /** The real difference is at most this much smaller or greater. */
  readonly uncertainty: Duration;
};

/** Time synchronisation keeps machines within milliseconds. A difference of this size shows that it does not run. */
const WARNING_ABOVE = SECOND;
/** The window of the request limits: with this difference, instances count the same minute at different times. */
const FAILURE_ABOVE = MINUTE;

/** Judges the difference that is certain. `server` is named in the sentence, like `Postgres`. */
export function clockFinding(server: string, { ahead, uncertainty }: ClockComparison): Finding {
  const certain = Math.max(0, Math.abs(ahead) - uncertainty);
  if (certain <= WARNING_ABOVE) return ok(`the clock of ${server} agrees with that of this machine`);
  const detail = `the clock of ${server} is ${text(certain)} ${ahead > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
  const advice = `Run time synchronisation (chrony or systemd-timesyncd) on this machine and on that of ${server}.`;
  return certain > FAILURE_ABOVE ? failed(detail, advice) : warning(detail, advice);
}

const text = (length: Duration): string => {
  const seconds = length / SECOND;
  return seconds >= 10 ? `${Math.round(seconds)} s` : `${Math.round(length / (100 * MILLISECOND)) / 10} s`;
};
