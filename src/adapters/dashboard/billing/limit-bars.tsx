import { forecast } from '../../../domain/limits/forecast.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { fromEpochMillis } from '../../../domain/moment.js';
import { shortWaitText } from '../page/moment.js';
import { momentText } from '../page/moment-text.js';
import { grouped, percentText } from '../page/number-text.js';
import { QuotaBar } from '../page/quota-bar.js';

/** How much of each limit is used in the current window, when it resets, and what the day ends with at this rate. */
export const LimitBars = ({ limits }: { readonly limits: readonly Limit[] }) => (
  <div id="limits" class="limit-bars" data-live="">
    {limits.map((limit) => (
      <LimitBar key={limit.policy.name} limit={limit} />
    ))}
  </div>
);

const LimitBar = ({ limit }: { readonly limit: Limit }) => {
  const { policy, remaining, endsAt, secondsLeft } = limit;
  const used = policy.quota - remaining;
  const end = fromEpochMillis(endsAt * 1_000);
  return (
    <p>
      <span>
        Per {policy.name}: <strong>{grouped(used)}</strong> of {grouped(policy.quota)}
      </span>
      <span class="quiet">
        resets in{' '}
        <time dateTime={end} title={momentText(end)}>
          {shortWaitText(secondsLeft)}
        </time>
        {policy.name === 'day' && forecastText(limit)}
      </span>
      <QuotaBar used={used} quota={policy.quota} />
    </p>
  );
};

/** Empty while nothing was used, and at the begin of the day. */
function forecastText(limit: Limit): string {
  const expected = forecast(limit);
  if (expected === null || expected.share === 0) return '';
  const { share, exhaustedInSeconds } = expected;
  const end = exhaustedInSeconds === null ? '' : `: used up in ${shortWaitText(exhaustedInSeconds)}`;
  return ` · at this rate ${percentText(share)} of today${end}`;
}
