import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { LoggedRequest } from '../../../domain/limits/request-log.js';
import {
  forecastShare,
  percentileMs,
  requestsWith,
  servedShare,
} from '../../../domain/limits/request-statistics.js';
import type { UsageBucket } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { millisText } from './request-log.js';

type TilesProps = {
  readonly total: Omit<UsageBucket, 'start'>;
  /** Of the request log, newest first. */
  readonly requests: readonly LoggedRequest[];
  /** The quota of the day; null while the counters cannot be read. */
  readonly day: Limit | null;
  readonly now: Moment;
};

/** The statuses that customers ask about. */
const REFUSED = [429, 402, 401] as const;

/** The range in four numbers. */
export const UsageTiles = ({ total, requests, day, now }: TilesProps) => {
  const share = servedShare(total);
  const [median, slow] = [percentileMs(requests, 0.5), percentileMs(requests, 0.95)];
  return (
    <dl class="usage-tiles">
      <Tile name="Requests" value={count(total.requests)} note={day === null ? null : dayText(day, now)} />
      <Tile name="Served" value={share === null ? '–' : percentText(share)} note="2xx and 3xx" />
      <Tile
        name="Refused or not valid"
        value={count(total.byStatusClass['4xx'])}
        note={`${REFUSED.map((status) => `${status}: ${requestsWith(requests, status)}`).join(' · ')} in the log`}
      />
      <Tile
        name="p95 latency"
        value={slow === null ? '–' : `${millisText(slow)} ms`}
        note={
          median === null
            ? 'No requests in 24 hours'
            : `p50: ${millisText(median)} ms. Of the last ${count(requests.length)} requests in the log`
        }
      />
    </dl>
  );
};

const Tile = ({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note: string | null;
}) => (
  <div>
    <dt>{name}</dt>
    <dd class="tile-value">{value}</dd>
    {note !== null && <dd class="tile-note">{note}</dd>}
  </div>
);

/** All keys together, whatever key is selected: they share the quota. */
function dayText({ policy: { quota }, remaining }: Limit, now: Moment): string {
  const used = quota - remaining;
  return `Today ${count(used)} of ${count(quota)}; at this rate ${percentText(forecastShare(used, quota, now))} of today`;
}

const count = (n: number): string => n.toLocaleString('en-US');

/** `3%`; one decimal where it matters, and never 100% for a part. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 99 && percent < 100) return `${Math.floor(percent * 10) / 10}%`;
  return percent > 0 && percent < 1 ? `${Math.ceil(percent * 10) / 10}%` : `${Math.round(percent)}%`;
}
