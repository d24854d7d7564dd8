import type { ComponentChildren } from 'preact';
import type { ApiKey, KeyId } from '../../../domain/keys/api-key.js';
import { STATUS_CLASSES, type StatusClass, type UsageBucket } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { KeyHeading } from '../keys/key-state.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { At, agoText } from '../page/moment.js';
import type { Viewer } from '../state.js';

type KeyUsage = Omit<UsageBucket, 'start'> & { readonly key: ApiKey };

type UsageProps = {
  readonly viewer: Viewer;
  /** Each key with its requests of the last 30 days. */
  readonly byKey: readonly KeyUsage[];
  /** The selected key; null for all keys together. */
  readonly only: KeyId | null;
  readonly hours: readonly UsageBucket[];
  readonly days: readonly UsageBucket[];
  /** When the newest item was scored; null if the feed is empty or cannot be read. */
  readonly head: Moment | null;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

export const UsagePage = ({ viewer, byKey, only, hours, days, head, now, demo }: UsageProps) => (
  <Layout
    title="Usage"
    viewer={viewer}
    activePath="/dashboard/usage"
    scripts={['uplot.js']}
    styles={['uplot.css']}
    modules={['chart.js']}
    demo={demo}
  >
    <p>Feed requests with your keys, by response status. All times are UTC.</p>
    <ul class="legend">
      {STATUS_CLASSES.map((statusClass) => (
        <li key={statusClass}>
          <span class={`swatch status-${statusClass}`} /> {statusClass} {MEANINGS[statusClass]}
        </li>
      ))}
    </ul>
    <p>
      {head === null ? (
        'The feed is empty or cannot be read now.'
      ) : (
        <>
          Newest feed item: {agoText(head, now)} (<At at={head} />
          ).
        </>
      )}
    </p>
    {byKey.length > 0 && <KeyFilter keys={byKey.map(({ key }) => key)} only={only} />}
    <Chart id="hours" title="Last 24 hours" unit="Hour" buckets={hours} textOf={hourText} />
    <Chart id="days" title="Last 30 days" unit="Day" buckets={days} textOf={dayOfText} />
    {byKey.length > 0 && (
      <section aria-labelledby="by-key">
        <h2 id="by-key">By key</h2>
        <ByKey byKey={byKey} />
      </section>
    )}
  </Layout>
);

const number = (label: string) => ({ label, isNumber: true }) as const;
const TOTAL = number('Total');

const ByKey = ({ byKey }: { readonly byKey: readonly KeyUsage[] }) => (
  <CardTable caption="Requests by key, last 30 days" columns={['Key', ...STATUS_CLASSES.map(number), TOTAL]}>
    {byKey.map(({ key, requests, byStatusClass }) => (
      <tr key={key.id}>
        <KeyHeading apiKey={key} />
        {STATUS_CLASSES.map((statusClass) => (
          <Cell key={statusClass} of={number(statusClass)}>
            {byStatusClass[statusClass].toLocaleString('en-US')}
          </Cell>
        ))}
        <Cell of={TOTAL}>{requests.toLocaleString('en-US')}</Cell>
      </tr>
    ))}
  </CardTable>
);

const MEANINGS: Readonly<Record<StatusClass, string>> = {
  '2xx': 'success',
  '3xx': 'not modified',
  '4xx': 'refused',
  '5xx': 'server error',
};

const hourText = (at: Moment): string => `${at.slice(5, 10)} ${at.slice(11, 16)}`;
const dayOfText = (at: Moment): string => at.slice(0, 10);

const KeyFilter = ({ keys, only }: { readonly keys: readonly ApiKey[]; readonly only: KeyId | null }) => (
  <form method="get" action="/dashboard/usage" class="inline">
    <label for="key">Key</label>
    <select id="key" name="key">
      <option value="">All keys</option>
      {keys.map(({ id, label, prefix }) => (
        <option key={id} value={id} selected={id === only}>
          {label === null ? `${prefix}…` : `${label} (${prefix}…)`}
        </option>
      ))}
    </select>
    <button type="submit">Show</button>
  </form>
);

type ChartProps = {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly buckets: readonly UsageBucket[];
  readonly textOf: (at: Moment) => string;
};

/** `1,234 requests in total`. */
function totalText(buckets: readonly UsageBucket[]): string {
  const total = buckets.reduce((sum, { requests }) => sum + requests, 0);
  return `${total.toLocaleString('en-US')} ${total === 1 ? 'request' : 'requests'} in total`;
}

/** Requests as a table. A script draws the chart from it (`browser/chart.ts`). */
const Chart = (props: ChartProps) => (
  <section aria-labelledby={`${props.id}-title`}>
    <h2 id={`${props.id}-title`}>{props.title}</h2>
    <p>{totalText(props.buckets)}.</p>
    <div class="chart" data-chart={props.id} aria-hidden="true" hidden />
    <details open>
      <summary>Show as table</summary>
      <div class="wide-content">
        <UsageTable {...props} />
      </div>
    </details>
  </section>
);

const UsageTable = ({ id, title, unit, buckets, textOf }: ChartProps) => (
  <table id={id}>
    <caption>Requests by status, {title.toLowerCase()}</caption>
    <thead>
      <tr>
        <th scope="col">{unit}</th>
        {STATUS_CLASSES.map((statusClass) => (
          <th key={statusClass} scope="col" class="number">
            {statusClass}
          </th>
        ))}
        <th scope="col" class="number">
          Total
        </th>
      </tr>
    </thead>
    <tbody>
      {buckets.map(({ start, requests, byStatusClass }) => (
        <tr key={start}>
          <th scope="row">
            <time dateTime={start}>{textOf(start)}</time>
          </th>
          {STATUS_CLASSES.map((statusClass) => (
            <td key={statusClass} class="number">
              {byStatusClass[statusClass]}
            </td>
          ))}
          <td class="number">{requests}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
