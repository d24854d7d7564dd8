import type { ComponentChildren } from 'preact';
import type { ApiKey, KeyId } from '../../../domain/keys/api-key.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { LoggedRequest } from '../../../domain/limits/request-log.js';
import { failuresByCode, quotaLine } from '../../../domain/limits/request-statistics.js';
import {
  STATUS_CLASSES,
  totalOf,
  USAGE_RANGES,
  USAGE_SPANS,
  type UsageBucket,
  type UsageRange,
} from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { KeyHeading } from '../keys/key-state.js';
import { CardTable, Cell } from '../page/card-table.js';
import { FormToken, Layout } from '../page/layout.js';
import { Ago } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { Refusals, type RemedyOf } from './refusals.js';
import { RequestLog, type RequestLogProps } from './request-log.js';
import { RANGE_NAMES, UsageChart } from './usage-chart.js';
import { UsageTiles } from './usage-tiles.js';

type KeyUsage = Omit<UsageBucket, 'start'> & { readonly key: ApiKey };

type UsageProps = {
  readonly viewer: Viewer;
  readonly range: UsageRange;
  /** Each key with its requests in the range. */
  readonly byKey: readonly KeyUsage[];
  /** The selected key; null for all keys together. */
  readonly only: KeyId | null;
  readonly buckets: readonly UsageBucket[];
  /** The request log of the selected keys, newest first. */
  readonly requests: readonly LoggedRequest[];
  readonly log: Pick<RequestLogProps, 'filter' | 'address' | 'source'>;
  /** The quota of the day; null while the counters cannot be read. */
  readonly day: Limit | null;
  /** When the newest item was scored; null if the feed is empty or cannot be read. */
  readonly head: Moment | null;
  /** Whether the owner gets mails about the quota of the day. */
  readonly hasQuotaMails: boolean;
  readonly publicUrl: string;
  readonly remedyOf: RemedyOf;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

export const UsagePage = (props: UsageProps) => {
  const { viewer, range, byKey, buckets, requests, log, head, now, demo } = props;
  const isEmpty = totalOf(buckets).requests === 0 && requests.length === 0;
  return (
    <Layout
      title="Usage"
      viewer={viewer}
      activePath="/dashboard/usage"
      scripts={['uplot.js']}
      styles={['uplot.css']}
      modules={['chart.js', 'copy.js', 'request-log.js']}
      demo={demo}
    >
      <Choices {...props} />
      {isEmpty ? <NoRequests {...props} /> : <Counted {...props} />}
      {byKey.some((one) => one.requests > 0) && <ByKey byKey={byKey} range={range} />}
      <RequestLog {...{ ...log, requests, now, keys: byKey.map(({ key }) => key) }} />
      <QuotaMailForm {...props} />
      <p class="quiet">
        Requests with your keys. Pages of the feed and of markets in this dashboard also use your quota, and
        are not counted here. All times are UTC. Newest feed item: <Ago at={head} now={now} none="unknown" />.
      </p>
    </Layout>
  );
};

/** The range in numbers, as a chart, and by the codes of refusals. */
const Counted = ({ range, only, buckets, requests, log, day, remedyOf, now }: UsageProps) => {
  const span = USAGE_SPANS[range];
  const quota = quotaLine(span, buckets, only === null ? (day?.policy.quota ?? null) : null);
  return (
    <>
      <UsageTiles {...{ total: totalOf(buckets), requests, day, now }} />
      {range === '1h' && (
        <p class="quiet">
          The last hour is counted from the request log, which has at most 100 requests of each key. The other
          ranges count every request.
        </p>
      )}
      <UsageChart {...{ range, span, buckets, quota }} />
      <Refusals {...{ ...log, now, failures: failuresByCode(requests), remedyOf }} />
    </>
  );
};

/** The address of the page with another range. */
const rangeHref = (range: UsageRange, only: KeyId | null): string =>
  `/dashboard/usage?${new URLSearchParams({ range, ...(only !== null && { key: only }) })}`;

const Choices = ({ range, byKey, only }: UsageProps) => (
  <div class="usage-choices">
    <nav aria-label="Range">
      <ul class="segments">
        {USAGE_RANGES.map((one) => (
          <li key={one}>
            <a
              href={rangeHref(one, only)}
              title={RANGE_NAMES[one]}
              aria-current={one === range ? 'true' : undefined}
            >
              {one}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {byKey.length > 0 && <KeyFilter keys={byKey.map(({ key }) => key)} only={only} range={range} />}
    <a
      class="export"
      href={`/dashboard/usage.csv${only === null ? '' : `?${new URLSearchParams({ key: only })}`}`}
    >
      Export CSV
    </a>
  </div>
);

const KeyFilter = ({
  keys,
  only,
  range,
}: {
  readonly keys: readonly ApiKey[];
  readonly only: KeyId | null;
  readonly range: UsageRange;
}) => (
  <form method="get" action="/dashboard/usage" class="inline">
    <input type="hidden" name="range" value={range} />
    <label for="key">Key</label>
    <select id="key" name="key" data-submits="">
      <option value="">All keys</option>
      {keys.map(({ id, label, prefix }) => (
        <option key={id} value={id} selected={id === only}>
          {label === null ? `${prefix}…` : `${label} (${prefix}…)`}
        </option>
      ))}
    </select>
    <noscript>
      <button type="submit" class="plain">
        Show
      </button>
    </noscript>
  </form>
);

const NoRequests = ({ publicUrl, byKey }: UsageProps) => (
  <section aria-labelledby="no-requests">
    <h2 id="no-requests">No requests yet</h2>
    <p>
      {byKey.length === 0 ? <a href="/dashboard/keys">Create a key</a> : 'Take one of your keys'}, and send a
      first request:
    </p>
    <div class="copyable">
      <code id="first-request">{`curl -H 'Authorization: Bearer <your key>' '${publicUrl}/pm/v2/news?limit=1'`}</code>
      <button type="button" class="plain" data-copies="first-request" hidden>
        Copy curl command
      </button>
    </div>
  </section>
);

const QuotaMailForm = ({ viewer, hasQuotaMails }: UsageProps) => (
  <section aria-labelledby="quota-mails">
    <h2 id="quota-mails">Emails about your quota</h2>
    <p>
      {hasQuotaMails
        ? 'You get an email when 80% of the requests of a day are used, and one when all are used.'
        : 'Switched off. You get no email when the requests of a day are nearly or all used.'}
    </p>
    <form method="post" action="/dashboard/usage/quota-mails">
      <FormToken viewer={viewer} />
      <button type="submit" class="plain" name="mails" value={hasQuotaMails ? 'off' : 'on'}>
        {hasQuotaMails ? 'Switch these emails off' : 'Switch these emails on'}
      </button>
    </form>
  </section>
);

const number = (label: string) => ({ label, isNumber: true }) as const;
const TOTAL = number('Total');

const ByKey = ({ byKey, range }: Pick<UsageProps, 'byKey' | 'range'>) => (
  <section aria-labelledby="by-key">
    <h2 id="by-key">By key</h2>
    <CardTable
      caption={`Requests by key, ${RANGE_NAMES[range].toLowerCase()}`}
      columns={['Key', ...STATUS_CLASSES.map(number), TOTAL]}
    >
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
  </section>
);
