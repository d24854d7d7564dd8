import type { Limit } from '../../../domain/limits/rate-limit.js';
import { ownValue } from '../../../domain/own-value.js';
import { grouped } from '../page/number-text.js';
import { QuotaBar } from '../page/quota-bar.js';

/** The names of windows, as this page calls the current one. */
const NAMES: Readonly<Record<string, string>> = { day: 'Today', minute: 'This minute' };

/** `Today 1,204 of 50,000 · This minute 3 of 600`: the limits that all keys share, the longest window first. */
export const UsageStrip = ({ limits }: { readonly limits: readonly Limit[] | null }) =>
  limits === null ? (
    <p id="usage-strip" class="quiet" data-live="">
      Usage is not available right now.
    </p>
  ) : (
    <div id="usage-strip" class="usage-strip" data-live="">
      {limits
        .toSorted((one, other) => other.policy.seconds - one.policy.seconds)
        .map(({ policy: { name, quota }, remaining }) => (
          <p key={name}>
            {ownValue(NAMES, name) ?? name} <strong>{grouped(quota - remaining)}</strong> of {grouped(quota)}
            <QuotaBar used={quota - remaining} quota={quota} />
          </p>
        ))}
    </div>
  );
