import { announcingAccounts } from './adapters/caching/announcing-accounts.js';
import { CachedGate } from './adapters/caching/cached-gate.js';
import { MemoryAccounts } from './adapters/memory/memory-accounts.js';
import { MemoryCounters } from './adapters/memory/memory-counters.js';
import { MemoryFeedStore } from './adapters/memory/memory-feed-store.js';
import { MemoryGate } from './adapters/memory/memory-gate.js';
import { MemoryLastUsed } from './adapters/memory/memory-last-used.js';
import { MemorySignals } from './adapters/memory/memory-signals.js';
import { jsonLog } from './adapters/system/json-log.js';
import { Lifecycle } from './adapters/system/lifecycle.js';
import { Metrics } from './adapters/system/metrics.js';
import { randomIds, sha256OfKey } from './adapters/system/random-ids.js';
import { ShiftedClock, systemClock } from './adapters/system/system-clock.js';
import { tokenFile } from './adapters/system/token-file.js';
import type { Config } from './config.js';
import { keyFormat } from './domain/key-value.js';
import {
  ACCOUNTS,
  CLOCK,
  COUNTERS,
  FEED_STORE,
  GATE,
  HASH_KEY,
  IDS,
  KEY_FORMAT,
  LAST_USED,
  LIFECYCLE,
  LOG,
  METRICS,
  PART_STATES,
  SIGNALS,
  TEST_CLOCK,
  TOKENS,
  type Wiring,
} from './parts.js';

/** What the process brings, and every port with its adapter. */
export function wireStores({ part, get }: Wiring, config: Config): void {
  part(LOG, () => jsonLog(config.logLevel));
  part(METRICS, () => new Metrics());
  part(LIFECYCLE, () => new Lifecycle());
  part(TOKENS, () => {
    const { operatorToken: operator, publisherToken: publisher } = config;
    if (operator !== undefined && publisher !== undefined) return { operator, publisher };
    const { tokens } = tokenFile(config.stateDir);
    return { operator: operator ?? tokens.operator, publisher: publisher ?? tokens.publisher };
  });

  const shifted = config.testClock ? new ShiftedClock() : null;
  part(CLOCK, () => shifted?.now ?? systemClock);
  part(TEST_CLOCK, () => shifted);
  part(IDS, () => randomIds);
  part(HASH_KEY, () => sha256OfKey);
  part(KEY_FORMAT, () => keyFormat(config.keyPrefix));

  const stored = new MemoryAccounts();
  part(ACCOUNTS, () => announcingAccounts(stored, get(SIGNALS)));
  part(GATE, () => {
    const gate = new MemoryGate(stored);
    return new CachedGate({ gate, signals: get(SIGNALS), clock: get(CLOCK), maxStale: config.gateMaxStale });
  });
  part(COUNTERS, () => new MemoryCounters(get(CLOCK)));
  part(FEED_STORE, () => new MemoryFeedStore());
  part(SIGNALS, () => new MemorySignals());
  part(LAST_USED, () => new MemoryLastUsed());
  part(PART_STATES, () => () => [
    get(LIFECYCLE).isDraining()
      ? { part: 'service', state: 'down', words: 'shutting down' }
      : { part: 'service', state: 'up', words: 'taking requests' },
    { part: 'stores', state: 'up', words: 'in memory: nothing outlives this process' },
  ]);
}
