import type { OpenWindows } from '../../../application/limits/open-windows.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import { epochSeconds } from '../../../domain/moment.js';

type Opened = ReturnType<OpenWindows> & { readonly plan: PlanName };

/** Computes the windows of a subscription once per second, because they do not change within a second. */
export function cachedWindows(openWindows: OpenWindows): OpenWindows {
  let second = 0;
  const opened = new Map<SubscriptionId, Opened>();
  return (subscription, now, key, own = null) => {
    // Few keys have limits of their own.
    if (own !== null) return openWindows(subscription, now, key, own);
    const thisSecond = epochSeconds(now);
    if (thisSecond !== second) {
      opened.clear();
      second = thisSecond;
    }
    const { id, plan } = subscription;
    const known = opened.get(id);
    if (known?.plan === plan) return known;
    const fresh = { plan, ...openWindows(subscription, now, key) };
    opened.set(id, fresh);
    return fresh;
  };
}
