import { setTimeout } from 'node:timers/promises';
import { Hold } from '../application/accounts/hold.js';
import { openAccount } from '../application/accounts/open-account.js';
import { RunDueWork } from '../application/accounts/run-due-work.js';
import { watchAccount } from '../application/accounts/watch-account.js';
import { advanceClock } from '../application/advance-clock.js';
import { linkCustomer } from '../application/billing/link-customer.js';
import { publishNews } from '../application/feed/publish-news.js';
import { readFeed } from '../application/feed/read-feed.js';
import { readFeedHead } from '../application/feed/read-feed-head.js';
import { freshKey } from '../application/keys/fresh-key.js';
import { issueKey } from '../application/keys/issue-key.js';
import { revokeKey } from '../application/keys/revoke-key.js';
import { rotateKey } from '../application/keys/rotate-key.js';
import { admitReader } from '../application/limits/admit-reader.js';
import { admitRequest } from '../application/limits/admit-request.js';
import { DetectAbuse } from '../application/limits/detect-abuse.js';
import { GuardAddress } from '../application/limits/guard-address.js';
import { readLimits } from '../application/limits/read-limits.js';
import { Unavailable } from '../application/unavailable.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  ADMIT_READER,
  ADMIT_REQUEST,
  ADVANCE_CLOCK,
  BILLING_RULES,
  CLOCK,
  COUNTERS,
  DETECT_ABUSE,
  FEED_STORE,
  GATE,
  GUARD_ADDRESS,
  HASH_KEY,
  HOLD,
  IDS,
  ISSUE_KEY,
  KEY_FORMAT,
  LAST_USED,
  LINK_CUSTOMER,
  MAKE_KEY,
  OPEN_ACCOUNT,
  PAYMENT_EVENTS,
  PROCESSOR,
  PUBLISH_NEWS,
  READ_FEED,
  READ_FEED_HEAD,
  READ_LIMITS,
  RECONCILE_PAYMENTS,
  REVOKE_KEY,
  ROTATE_KEY,
  RUN_DUE_WORK,
  SEND_NOTICES,
  SIGHTINGS,
  TEST_CLOCK,
  WATCH_ACCOUNT,
  type Wiring,
} from './parts.js';

/** Every use case, with the ports it asks. */
export function wireUseCases(wiring: Wiring, config: Config): void {
  wireRequests(wiring, config);
  wireAccountChanges(wiring, config);
}

function wireRequests({ part, get }: Wiring, { plans, anonymousPerMinute }: Config): void {
  part(
    GUARD_ADDRESS,
    () =>
      new GuardAddress({ counters: get(COUNTERS), clock: get(CLOCK), requestsPerMinute: anonymousPerMinute }),
  );
  part(ADMIT_REQUEST, () => {
    const detection = get(DETECT_ABUSE);
    return admitRequest({
      gate: get(GATE),
      counters: get(COUNTERS),
      guardAddress: get(GUARD_ADDRESS),
      lastUsed: get(LAST_USED),
      noteUse: (...use) => detection.note(...use),
      clock: get(CLOCK),
      hashKey: get(HASH_KEY),
      keyFormat: get(KEY_FORMAT),
      plans,
    });
  });
  part(ADMIT_READER, () => admitReader({ counters: get(COUNTERS), clock: get(CLOCK), plans }));
  part(READ_FEED_HEAD, () => readFeedHead({ feed: get(FEED_STORE) }));
  part(READ_LIMITS, () => readLimits({ counters: get(COUNTERS), clock: get(CLOCK), plans }));
  part(READ_FEED, () => readFeed({ feed: get(FEED_STORE) }));
  part(PUBLISH_NEWS, () => publishNews({ feed: get(FEED_STORE), clock: get(CLOCK) }));
}

function wireAccountChanges({ part, get }: Wiring, { plans, abuse }: Config): void {
  const accounts = () => ({ accounts: get(ACCOUNTS), clock: get(CLOCK) });
  part(MAKE_KEY, () => freshKey({ ids: get(IDS), keyFormat: get(KEY_FORMAT), hashKey: get(HASH_KEY) }));
  const withEvents = () => ({ ...accounts(), events: get(PAYMENT_EVENTS) });
  part(OPEN_ACCOUNT, () => openAccount({ ...withEvents(), ids: get(IDS) }));
  part(LINK_CUSTOMER, () => linkCustomer(withEvents()));
  part(ISSUE_KEY, () => issueKey({ ...accounts(), makeKey: get(MAKE_KEY), plans }));
  part(ROTATE_KEY, () => rotateKey({ ...accounts(), makeKey: get(MAKE_KEY) }));
  part(REVOKE_KEY, () => revokeKey(accounts()));
  part(HOLD, () => new Hold(accounts()));
  part(WATCH_ACCOUNT, () => watchAccount(accounts()));
  part(
    DETECT_ABUSE,
    () => new DetectAbuse({ ...accounts(), sightings: get(SIGHTINGS), plans, rules: abuse }),
  );
  part(
    RUN_DUE_WORK,
    () =>
      new RunDueWork({
        ...accounts(),
        rules: get(BILLING_RULES),
        processor: get(PROCESSOR),
        pause: (ms) => setTimeout(ms),
      }),
  );
  part(ADVANCE_CLOCK, () => {
    const testClock = get(TEST_CLOCK);
    if (testClock === null) throw new Error('the clock can be moved with TEST_CLOCK=1 only');
    const works = [
      () => get(RUN_DUE_WORK).untilDone(),
      () => get(DETECT_ABUSE).look(),
      // A processor that is away is asked again soon, whoever moves the clock.
      () => unlessAway(() => get(RECONCILE_PAYMENTS)(false)),
      async () => {
        while (await get(SEND_NOTICES)());
      },
    ];
    return advanceClock({ testClock, clock: get(CLOCK), works });
  });
}

async function unlessAway(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof Unavailable)) throw fault;
  }
}
