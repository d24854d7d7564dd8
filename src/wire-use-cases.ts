import { admitRequest } from './application/admit-request.js';
import { advanceClock } from './application/advance-clock.js';
import { freshKey } from './application/fresh-key.js';
import { guardAddress } from './application/guard-address.js';
import { hold } from './application/hold.js';
import { issueKey } from './application/issue-key.js';
import { openAccount } from './application/open-account.js';
import { publishNews } from './application/publish-news.js';
import { readFeed } from './application/read-feed.js';
import { revokeKey } from './application/revoke-key.js';
import { rotateKey } from './application/rotate-key.js';
import { runDueWork } from './application/run-due-work.js';
import type { Config } from './config.js';
import {
  ACCOUNTS,
  ADMIT_REQUEST,
  ADVANCE_CLOCK,
  CLOCK,
  COUNTERS,
  FEED_STORE,
  GATE,
  GUARD_ADDRESS,
  HASH_KEY,
  HOLD,
  IDS,
  ISSUE_KEY,
  KEY_FORMAT,
  LAST_USED,
  MAKE_KEY,
  OPEN_ACCOUNT,
  PUBLISH_NEWS,
  READ_FEED,
  REVOKE_KEY,
  ROTATE_KEY,
  RUN_DUE_WORK,
  TEST_CLOCK,
  type Wiring,
} from './parts.js';

/** Every use case, with the ports it asks. */
export function wireUseCases({ part, get }: Wiring, { plans, anonymousPerMinute }: Config): void {
  part(GUARD_ADDRESS, () =>
    guardAddress({ counters: get(COUNTERS), clock: get(CLOCK), requestsPerMinute: anonymousPerMinute }),
  );
  part(ADMIT_REQUEST, () =>
    admitRequest({
      gate: get(GATE),
      counters: get(COUNTERS),
      guardAddress: get(GUARD_ADDRESS),
      lastUsed: get(LAST_USED),
      clock: get(CLOCK),
      hashKey: get(HASH_KEY),
      keyFormat: get(KEY_FORMAT),
      plans,
    }),
  );
  part(READ_FEED, () => readFeed({ feed: get(FEED_STORE) }));
  part(PUBLISH_NEWS, () => publishNews({ feed: get(FEED_STORE), clock: get(CLOCK) }));

  const accounts = () => ({ accounts: get(ACCOUNTS), clock: get(CLOCK) });
  part(MAKE_KEY, () => freshKey({ ids: get(IDS), keyFormat: get(KEY_FORMAT), hashKey: get(HASH_KEY) }));
  part(OPEN_ACCOUNT, () => openAccount({ ...accounts(), ids: get(IDS) }));
  part(ISSUE_KEY, () => issueKey({ ...accounts(), makeKey: get(MAKE_KEY), plans }));
  part(ROTATE_KEY, () => rotateKey({ ...accounts(), makeKey: get(MAKE_KEY) }));
  part(REVOKE_KEY, () => revokeKey(accounts()));
  part(HOLD, () => hold(accounts()));
  part(RUN_DUE_WORK, () => runDueWork(accounts()));
  part(ADVANCE_CLOCK, () => {
    const testClock = get(TEST_CLOCK);
    if (testClock === null) throw new Error('the clock can be moved with TEST_CLOCK=1 only');
    return advanceClock({ testClock, clock: get(CLOCK), runDueWork: get(RUN_DUE_WORK) });
  });
}
