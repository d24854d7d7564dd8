import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { between, type Duration, type Moment, SECOND } from '../../../domain/moment.js';
import { fullMomentText, isToday, shortDayText, shortMomentText, shortSecondText } from './moment-text.js';

/**
 * When the page was rendered. It is a context, because each short time depends on it, however deep in the page it is
 * (`answerPage` sets it). Null outside of pages that know it: then a short time has its year.
 */
export const RenderedAt = createContext<Moment | null>(null);

/** A point in time: short in the text, readable in full in `title`, and exact in `datetime`. */
export const At = ({ at }: { readonly at: Moment }) => (
  <Time at={at} text={shortMomentText(at, useContext(RenderedAt))} />
);

/** As `At`, for a sentence: `at 14:05`, `on 3 Mar, 14:05`. */
export const OnAt = ({ at }: { readonly at: Moment }) => (
  <>
    {isToday(at, useContext(RenderedAt)) ? 'at' : 'on'} <At at={at} />
  </>
);

/** As `At`, with seconds. */
export const AtSecond = ({ at }: { readonly at: Moment }) => (
  <Time at={at} text={shortSecondText(at, useContext(RenderedAt))} />
);

/** The day of a point in time. */
export const Day = ({ at }: { readonly at: Moment }) => (
  <Time at={at} text={shortDayText(at, useContext(RenderedAt))} />
);

const Time = ({ at, text }: { readonly at: Moment; readonly text: string }) => (
  <time dateTime={at} title={fullMomentText(at)}>
    {text}
  </time>
);

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
}) => (at === null ? <span class="quiet">{none}</span> : <Time at={at} text={agoText(at, now)} />);

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
