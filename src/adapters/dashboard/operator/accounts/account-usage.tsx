import type { Limit } from '../../../../domain/limits/rate-limit.js';
import {
  LAST_24_HOURS,
  LAST_30_DAYS,
  STATUS_CLASSES,
  type UsageBucket,
  type UsageCount,
  usageOver,
} from '../../../../domain/limits/usage.js';
import type { Moment } from '../../../../domain/moment.js';
import { LimitTable } from '../../billing/limit-table.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { At, Day } from '../../page/moment.js';

/** The limits of an account, and its requests by hour and day. Hours and days without requests are left out. */
export const AccountUsage = ({
  limits,
  counts,
  now,
}: {
  /** Null while the counters cannot be read. */
  readonly limits: readonly Limit[] | null;
  readonly counts: readonly UsageCount[];
  readonly now: Moment;
}) => {
  const hours = usageOver(LAST_24_HOURS, counts, now);
  const days = usageOver(LAST_30_DAYS, counts, now);
  return (
    <>
      <h2>Limits</h2>
      {limits === null ? (
        <p>Usage is not available right now. Try again in a moment.</p>
      ) : (
        <LimitTable limits={limits} />
      )}
      <h2>Last 24 hours</h2>
      <Buckets caption="Requests by hour, newest first" unit="Hour" buckets={hours} />
      <h2>Last 30 days</h2>
      <Buckets caption="Requests by day, newest first" unit="Day" buckets={days} />
    </>
  );
};

const number = (label: string) => ({ label, isNumber: true }) as const;
const TOTAL = number('Total');

const Buckets = ({
  caption,
  unit,
  buckets,
}: {
  readonly caption: string;
  readonly unit: 'Hour' | 'Day';
  readonly buckets: readonly UsageBucket[];
}) => {
  const used = buckets.filter(({ requests }) => requests > 0).toReversed();
  if (used.length === 0) return <p>No requests.</p>;
  return (
    <CardTable caption={caption} columns={[unit, ...STATUS_CLASSES.map(number), TOTAL]}>
      {used.map(({ start, requests, byStatusClass }) => (
        <tr key={start}>
          <th scope="row">{unit === 'Hour' ? <At at={start} /> : <Day at={start} />}</th>
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
};
