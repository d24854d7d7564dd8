import { send } from '../service/client.js';

/** The samples of one scrape, by series, with the types of their metrics. A failed scrape has only `up` with 0. */
export type Scrape = {
  readonly values: ReadonlyMap<string, number>;
  /** `counter`, `gauge` or `histogram`, by the name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  /** In seconds since 1970. */
  readonly at: number;
};

/** The labels that Prometheus adds to each series. */
const TARGET = 'job="oddswire",instance="oddswire:8081"';

/** Scrapes an instance in the way of Prometheus: `up` is 0 if there is no answer with status 200. */
export async function scrape(internalUrl: string): Promise<Scrape> {
  const reply = await send(`${internalUrl}/metrics`, {}).catch(() => null);
  const text = reply?.status === 200 ? reply.text : '';
  const values = new Map([[`up{${TARGET}}`, text === '' ? 0 : 1]]);
  const types = new Map([['up', 'gauge']]);
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) types.set(name, type);
    const [, metric, labels, value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (metric === undefined || value === undefined) continue;
    values.set(`${metric}{${labels === undefined ? '' : `${labels},`}${TARGET}}`, numberOf(value));
  }
  return { values, types, at: Date.now() / 1_000 };
}

const numberOf = (text: string): number =>
  Number(text.replace(/^([+-]?)Inf$/, '$1Infinity').replace('Nan', 'NaN'));

export const metricOf = (series: string): string => series.slice(0, series.indexOf('{'));

/** Whether the value of a series counts: of counters, and of the parts of histograms. */
export function isCounted({ types }: Scrape, series: string): boolean {
  const metric = metricOf(series);
  return (
    types.get(metric) === 'counter' || types.get(metric.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram'
  );
}

/** The value of the first series that begins with this text; NaN if there is none. */
export const sampleOf = ({ values }: Scrape, series: string): number =>
  [...values].find(([name]) => name.startsWith(series))?.[1] ?? Number.NaN;
