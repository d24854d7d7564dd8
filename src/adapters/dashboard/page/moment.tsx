import { between, type Duration, type Moment, SECOND } from '../../../domain/moment.js';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** `3 March 2026`. */
export const dayText = (at: Moment): string =>
  `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1] ?? ''} ${at.slice(0, 4)}`;

/** `3 March 2026, 14:05 UTC`. */
export const momentText = (at: Moment): string => `${dayText(at)}, ${at.slice(11, 16)} UTC`;

/** A point in time, readable in the text and exact in `datetime`. */
export const At = ({ at }: { readonly at: Moment }) => <time dateTime={at}>{momentText(at)}</time>;

export const Day = ({ at }: { readonly at: Moment }) => <time dateTime={at}>{dayText(at)}</time>;

/** A point in time, or the text `none` if it is null. */
export const AtOr = ({ at, none }: { readonly at: Moment | null; readonly none: string }) =>
  at === null ? <span class="quiet">{none}</span> : <At at={at} />;

/** The time since `at`, or the text `none` if it is null. */
export const Ago = ({
  at,
  now,
  none,
}: {
  readonly at: Moment | null;
  readonly now: Moment;
  readonly none: string;
}) =>
  at === null ? (
    <span class="quiet">{none}</span>
  ) : (
    <time dateTime={at} title={momentText(at)}>
      {agoText(at, now)}
    </time>
  );

/** The time since `at` in the largest unit that is not 0: `5 seconds ago`. */
export function agoText(at: Moment, now: Moment): string {
  const seconds = Math.max(0, Math.floor(between(at, now) / SECOND));
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3_600
        ? [Math.floor(seconds / 60), 'minute']
        : seconds < 86_400
          ? [Math.floor(seconds / 3_600), 'hour']
          : [Math.floor(seconds / 86_400), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** A wait, rounded up: `50 seconds`, `3 minutes`, `12 hours`. */
export function waitText(seconds: number): string {
  if (seconds <= 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** A wait for narrow lines, rounded up: `41 s`, `3 min`, `5 h`. */
export function shortWaitText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** `4:59`. */
function clockText(length: Duration): string {
  const seconds = Math.max(0, Math.ceil(length / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The remaining time. A script counts it down (`browser/countdown.ts`). */
export const Countdown = ({ until, now }: { readonly until: Moment; readonly now: Moment }) => (
  <span class="countdown" role="timer" data-seconds={Math.max(0, Math.ceil(between(now, until) / SECOND))}>
    {clockText(between(now, until))}
  </span>
);
