import { isCounted, metricOf, type Scrape } from './scrape.js';

/** How long the values of the first scrape last, and those of the second one. */
const BEFORE_MINUTES = 20;
const DURING_MINUTES = 60;

/** What is expected of one alert. */
export type Expected = {
  readonly alert: string;
  /** Minutes from the begin of the cause until the alert fires: its `for`, and the range that it looks at. */
  readonly firesAfter: number;
};

/**
 * `continues`: counters grow by the same number in each further minute, because the cause goes on. `once`: they keep the value
 * of the second scrape.
 */
export type Growth = 'continues' | 'once';

/**
 * A unit test for promtool: the values of a scrape before a cause for some minutes, then those of a scrape during it. No alert
 * may fire before, and each of the expected ones must fire during it.
 */
export function alertTimeline(
  rules: { readonly file: string; readonly text: string },
  scrapes: { readonly before: Scrape; readonly during: Scrape; readonly growth: Growth },
  expected: readonly Expected[],
): object {
  const { before, during } = scrapes;
  const series = [...new Set([...before.values.keys(), ...during.values.keys()])].filter((one) =>
    rules.text.includes(metricOf(one)),
  );
  return {
    rule_files: [rules.file],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map((one) => ({ series: one, values: valuesOf(one, scrapes) })),
        promql_expr_test: [
          ...[5, BEFORE_MINUTES - 1].map((minute) => firing('.+', minute, [])),
          ...expected.map(({ alert, firesAfter }) =>
            firing(alert, BEFORE_MINUTES + firesAfter, [{ labels: `{alertname="${alert}"}`, value: 1 }]),
          ),
        ],
      },
    ],
  };
}

const firing = (alert: string, minute: number, samples: readonly object[]) => ({
  // By name, so that a failure tells which alert fired.
  expr: `sgn(count by (alertname) (ALERTS{alertname=~"${alert}",alertstate="firing"}))`,
  eval_time: `${minute}m`,
  exp_samples: samples,
});

/** Values in the notation of promtool: `_` is no sample, `stale` the end of a series that the target no longer has. */
function valuesOf(
  series: string,
  { before, during, growth }: { readonly before: Scrape; readonly during: Scrape; readonly growth: Growth },
): string {
  const [from, to] = [valueAt(series, before, 0), valueAt(series, during, BEFORE_MINUTES * 60)];
  const isTime = metricOf(series).endsWith('_timestamp_seconds');
  // While all is well, a time moves with the clock.
  const first = from === null ? `_x${BEFORE_MINUTES}` : `${from}+${isTime ? 60 : 0}x${BEFORE_MINUTES - 1}`;
  if (to === null) return `${first} stale`;
  const step = growth === 'continues' && isCounted(during, series) ? Math.max(0, to - (from ?? 0)) : 0;
  return `${first} ${to}+${step}x${DURING_MINUTES}`;
}

/** The value of a series, or null. The clock of promtool begins at 0, so times are moved by as much. */
function valueAt(series: string, { values, at }: Scrape, startsAt: number): number | null {
  const value = values.get(series);
  if (value === undefined || !Number.isFinite(value)) return null;
  return metricOf(series).endsWith('_timestamp_seconds') ? value - at + startsAt : value;
}
