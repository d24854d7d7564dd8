import { between, HOUR, type Moment, SECOND } from '../moment.js';

/** What the home page of the console shows at a glance. Null: it cannot be read now, or there is none. */
export type ConsoleFigures = {
  /** When the newest item of the feed was scored. */
  readonly newestItem: Moment | null;
  readonly failedEvents: number;
  readonly waitingEvents: number;
  readonly blockedAccounts: number;
  readonly failingDestinations: number;
};
export type FigureName = keyof ConsoleFigures;

/**
 * Above this value an alert fires: `FeedSilent` (seconds) and `PaymentEventsFailed` in `ops/alerts.yml`. The other figures have no
 * alert: customers who do not pay, and receivers that do not answer, are no fault of the service.
 */
export const ALERT_ABOVE: Readonly<Record<FigureName, number | null>> = {
  newestItem: HOUR / SECOND,
  failedEvents: 0,
  waitingEvents: null,
  blockedAccounts: null,
  failingDestinations: null,
};

/** Whether an alert fires for the figure, or will soon. */
export function isAlarming(figures: ConsoleFigures, name: FigureName, now: Moment): boolean {
  const threshold = ALERT_ABOVE[name];
  const value =
    name === 'newestItem'
      ? figures.newestItem === null
        ? 0
        : between(figures.newestItem, now) / SECOND
      : figures[name];
  return threshold !== null && value > threshold;
}
