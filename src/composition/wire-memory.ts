import { announcingAccounts } from '../adapters/caching/announcing-accounts.js';
import { announcingInbox } from '../adapters/caching/announcing-inbox.js';
import { CachedGate } from '../adapters/caching/cached-gate.js';
import { MemoryAccounts } from '../adapters/memory/memory-accounts.js';
import { MemoryCounters } from '../adapters/memory/memory-counters.js';
import { MemoryFeedStore } from '../adapters/memory/memory-feed-store.js';
import { MemoryGate } from '../adapters/memory/memory-gate.js';
import { MemoryIdentities } from '../adapters/memory/memory-identities.js';
import { MemoryLastUsed } from '../adapters/memory/memory-last-used.js';
import { MemoryOutbox } from '../adapters/memory/memory-outbox.js';
import { MemoryPaymentInbox } from '../adapters/memory/memory-payment-inbox.js';
import { MemorySessions } from '../adapters/memory/memory-sessions.js';
import { MemorySightings } from '../adapters/memory/memory-sightings.js';
import { MemorySignals } from '../adapters/memory/memory-signals.js';
import { MemoryTickets } from '../adapters/memory/memory-tickets.js';
import { MemoryTurns } from '../adapters/memory/memory-turns.js';
import { MemoryUsageHistory } from '../adapters/memory/memory-usage-history.js';
import { ShiftedClock, systemClock } from '../adapters/system/system-clock.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  CLOCK,
  COUNTERS,
  FEED_STORE,
  GATE,
  IDENTITIES,
  LAST_USED,
  METRICS,
  OUTBOX,
  PAYMENT_INBOX,
  SESSIONS,
  SIGHTINGS,
  SIGNALS,
  TEST_CLOCK,
  TICKETS,
  TURNS,
  USAGE_HISTORY,
  type Wiring,
} from './parts.js';
import { wireSignals } from './wire-signals.js';

/** Stores of one process, for demos and tests: nothing outlives it. */
export function wireMemoryStores({ part, get, starting, reporting }: Wiring, config: Config): void {
  const shifted = config.testClock ? new ShiftedClock() : null;
  part(CLOCK, () => shifted?.now ?? systemClock);
  part(TEST_CLOCK, () => shifted);

  const outbox = new MemoryOutbox();
  const stored = new MemoryAccounts(outbox);
  const inbox = new MemoryPaymentInbox(stored);
  part(ACCOUNTS, () => announcingAccounts(stored, get(SIGNALS)));
  part(PAYMENT_INBOX, () => announcingInbox(inbox, get(SIGNALS)));
  part(OUTBOX, () => outbox);
  part(TURNS, () => new MemoryTurns());
  part(GATE, () => {
    const gate = new MemoryGate(stored);
    return new CachedGate({ gate, signals: get(SIGNALS), clock: get(CLOCK), maxStale: config.gateMaxStale });
  });
  const feed = new MemoryFeedStore();
  part(FEED_STORE, () => feed);
  starting(async () => get(METRICS).observeFeed(() => ({ ...feed.state, copiedItems: null })));
  part(LAST_USED, () => new MemoryLastUsed());
  part(TICKETS, () => new MemoryTickets());
  part(SESSIONS, () => new MemorySessions());
  part(IDENTITIES, () => new MemoryIdentities(stored));
  part(USAGE_HISTORY, () => new MemoryUsageHistory());
  reporting(() => ({ part: 'stores', state: 'up', words: 'in memory: nothing outlives this process' }));
}

export function wireMemoryCounters({ part, get, reporting }: Wiring): void {
  part(COUNTERS, () => new MemoryCounters(get(CLOCK)));
  part(SIGHTINGS, () => new MemorySightings(get(CLOCK)));
  reporting(() => ({
    part: 'counters',
    state: 'up',
    words: 'in memory: limits are counted by this process alone',
  }));
}

export const wireMemorySignals = (wiring: Wiring): void => wireSignals(wiring, () => new MemorySignals());
