import { dashboard } from '../adapters/dashboard/dashboard.js';
import type { DemoParts } from '../adapters/dashboard/demo/demo.js';
import { keyViews } from '../adapters/dashboard/keys/key-view.js';
import { clientGroups } from '../adapters/http/listener/client-address.js';
import { throttled } from '../adapters/resilience/throttle.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  ADMIT_READER,
  ADVANCE_CLOCK,
  CHECKOUT_URL,
  CLOCK,
  COUNT_ATTEMPT,
  DASHBOARD,
  DEMO_ACCOUNTS,
  FIND_SESSION,
  FORGET_IDENTITIES,
  IDENTITIES,
  IDENTITY_PROVIDERS,
  ISSUE_KEY,
  KEY_FORMAT,
  LAST_USED,
  MAKE_CHECKOUT_REFERENCE,
  OPEN_PORTAL,
  PAGE_THROTTLE,
  PRETEND,
  PUBLIC_ADDRESS,
  READ_FEED,
  READ_FEED_HEAD,
  READ_LIMITS,
  REFERENCE_SIGNER,
  REPORT_FAULT,
  REVOKE_KEY,
  ROTATE_KEY,
  SECRETS,
  SESSIONS,
  SIGN_IN_BY_LINK,
  SIGN_IN_BY_PROVIDER,
  SIGN_OUT_EVERYWHERE,
  START_SESSION,
  type Token,
  USAGE_HISTORY,
  type Wiring,
} from './parts.js';

/** Pages for people, over the same use cases as the API. */
export function wireDashboard(wiring: Wiring, { plans }: Config): void {
  const { part, get } = wiring;
  part(DEMO_ACCOUNTS, () => () => []);

  part(DASHBOARD, () => {
    const publicUrl = get(PUBLIC_ADDRESS).url;
    const calm = <Port extends object>(token: Token<Port>): Port => throttled(get(token), get(PAGE_THROTTLE));
    const usage = calm(USAGE_HISTORY);
    return dashboard({
      findSession: get(FIND_SESSION),
      sessions: calm(SESSIONS),
      forgetIdentities: get(FORGET_IDENTITIES),
      signOutEverywhere: get(SIGN_OUT_EVERYWHERE),
      secrets: get(SECRETS),
      clock: get(CLOCK),
      byLink: get(SIGN_IN_BY_LINK),
      byProvider: get(SIGN_IN_BY_PROVIDER),
      providers: get(PUBLIC_ADDRESS).isPrivate ? get(IDENTITY_PROVIDERS) : [],
      isSecure: get(PUBLIC_ADDRESS).isSecure,
      clientGroups,
      keys: {
        accounts: calm(ACCOUNTS),
        issueKey: get(ISSUE_KEY),
        rotateKey: get(ROTATE_KEY),
        revokeKey: get(REVOKE_KEY),
        countAttempt: get(COUNT_ATTEMPT),
        keyViews: keyViews({ lastUsed: calm(LAST_USED), usage }),
        plans,
        keyFormat: get(KEY_FORMAT),
        publicUrl,
      },
      subscription: {
        countAttempt: get(COUNT_ATTEMPT),
        identities: calm(IDENTITIES),
        readLimits: get(READ_LIMITS),
        openPortal: get(OPEN_PORTAL),
        makeCheckoutReference: get(REFERENCE_SIGNER) === null ? null : get(MAKE_CHECKOUT_REFERENCE),
        checkoutUrl: get(CHECKOUT_URL),
        publicUrl,
      },
      usage: { usage, readFeedHead: get(READ_FEED_HEAD) },
      feed: { admitReader: get(ADMIT_READER), readFeed: get(READ_FEED), publicUrl },
      demo: demoParts(wiring),
      reportFault: get(REPORT_FAULT),
    });
  });
}

function demoParts({ get }: Wiring): DemoParts | null {
  const pretend = get(PRETEND);
  if (pretend === null) return null;
  return {
    accounts: get(DEMO_ACCOUNTS),
    startSession: get(START_SESSION),
    pretend,
    advanceClock: get(ADVANCE_CLOCK),
  };
}
